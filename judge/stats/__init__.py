"""Statistics: the percentage rule, Bradley–Terry strengths, intervals, the sequential test (SPRT)
and samples."""
