"""Statistics: points by the percentage rule (the loser pays a percentage of its points to the
winner), Bradley–Terry strengths, intervals, the sequential test (SPRT), and means of samples."""
