"""The strength test of `judge test`: bots clear boards alone, and a document says how many shots
each needed."""
