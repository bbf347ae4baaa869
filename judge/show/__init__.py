"""Everything that a person looks at; each function returns a string."""
