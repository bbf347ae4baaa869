"""The strength test: boards shot alone, and their document."""
