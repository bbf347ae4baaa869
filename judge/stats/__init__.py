"""The percentage rule, Bradley–Terry, intervals, SPRT, samples; no game and no file."""
