"""Programs of strangers: finding, starting, limiting, hearing and ending them."""
