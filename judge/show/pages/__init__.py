"""Pages of HTML: games, matches, charts, brackets, bots, and the site that joins them."""
