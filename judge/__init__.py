"""A judge of Battleships bots: plays programs against each other and ranks them."""

__version__ = "0.1.0"
