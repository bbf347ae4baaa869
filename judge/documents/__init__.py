"""Every document that the judge reads or writes, as a type. The schemas in schemas/ are made from
these types.

Each field has its bounds in its annotation and a sentence below it. `judge.documents.codec` reads
and writes documents, and ``python -m judge.documents`` writes schemas/.
"""
