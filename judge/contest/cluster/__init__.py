"""Games on other machines: tasks and results as documents, who plays them, and who hands them out."""
