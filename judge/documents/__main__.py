"""Write the schemas of the documents' types into schemas/: ``python -m judge.documents``."""

from judge.documents.json_schema import texts
from judge.schemas import bundled

if __name__ == "__main__":
    for name, text in texts():
        (bundled("schemas") / f"{name}.schema.json").write_text(text, encoding="utf-8")
