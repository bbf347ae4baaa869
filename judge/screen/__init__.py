"""Full-screen programs for a terminal, made with Textual."""
