"""Every document that the judge reads or writes, as a type; what schemas/ holds comes from these.

A type has its bounds at its fields and a sentence below each field. `judge.documents.codec` reads and
writes them, and ``python -m judge.documents`` writes schemas/.
"""
