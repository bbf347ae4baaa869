"""An entrant's upload, unpacked: within bounds, and nothing but files and folders."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.serve.host import unpacking
from judge.serve.host.unpacking import MOST_DEPTH, MOST_FILES, program_in, unpack

MOST = 2 * 2**20
FIVE_SCRIPTS = "données/ключ/名前/όνομα/اسم.txt"


def zipped(**files: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def tarred(*members: tarfile.TarInfo, content: bytes = b"") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for member in members:
            if member.isreg():
                member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def linked_in_zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo("run.sh")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return data.getvalue()


def packed_by(method: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        archive.writestr("run.sh", "#!/bin/sh\n" * 100)
    return data.getvalue()


def lying_of_its_size() -> bytes:
    """The headers say one byte, and a mebibyte of zeros comes."""
    data = bytearray(zipped(**{"run.sh": bytes(2**20)}))
    for at in range(len(data) - 4):
        if data[at : at + 4] == (2**20).to_bytes(4, "little"):
            data[at : at + 4] = (1).to_bytes(4, "little")
    return bytes(data)


def with_a_far_entry() -> bytes:
    """The archive claims that its file lies 2**63 bytes from its begin."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("run.sh", "#!/bin/sh\n")
        archive.infolist()[0].header_offset = 2**63
    return data.getvalue()


def half_a_list_of_holes() -> bytes:
    """The header of a file with holes, whose list goes on in a block that does not come."""
    data = bytearray(member("x", tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
    data[482] = 1  # the list goes on
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data)
    return gzip.compress(data)


def pax(size: int, content: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """A header of a tar file that claims a size."""
    head = tarfile.TarInfo("x")
    head.type, head.size = kind, size
    return gzip.compress(head.tobuf(tarfile.USTAR_FORMAT) + content + bytes(16 * 2**20))


def long_name_header() -> bytes:
    """A header that claims a name of a gibibyte."""
    return pax(2**30, b"", tarfile.GNUTYPE_LONGNAME)


DEVICES = (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a zip bomb": ("a.zip", lambda: zipped(**{"run.sh": bytes(64 * 2**20)}), "bytes"),
    "a bomb of a tar": (
        "a.tgz",
        lambda: tarred(member("run.sh"), content=bytes(64 * 2**20)),
        "more than",
    ),
    "a zip that lies of its size": ("a.zip", lying_of_its_size, "cannot be unpacked"),
    "a zip with a far entry": ("a.zip", with_a_far_entry, "cannot be unpacked"),
    "half a list of holes": ("a.tgz", half_a_list_of_holes, "cannot be unpacked"),
    "a header of a gibibyte": ("a.tar.gz", lambda: pax(2**30, b""), "PAX header"),
    "a header of digits": ("a.tgz", lambda: pax(4097, b"1" * 4097), "PAX header"),
    "a long tar header": ("a.tgz", long_name_header, "more than a bot may have"),
    "a link": ("a.tgz", lambda: tarred(member("run.sh", tarfile.SYMTYPE, "/etc/passwd")), "link"),
    "a hard link": ("a.tgz", lambda: tarred(member("run.sh", tarfile.LNKTYPE, "x")), "link"),
    "a link in a zip": ("a.zip", linked_in_zip, "link"),
    **{
        f"a device {kind!r}": ("a.tgz", partial(tarred, member("x", kind)), "link or a device")
        for kind in DEVICES
    },
    "a zip with a name of nothing": (
        "a.zip",
        lambda: zipped(naught=b"x").replace(b"naught", b"\0aught"),
        "not a name",
    ),
    "an absolute path": ("a.tgz", lambda: tarred(member("/tmp/x")), "leads out"),
    "a path that leads out": ("a.zip", lambda: zipped(**{"../../x": b""}), "leads out"),
    "a path of another system": ("a.zip", lambda: zipped(**{"..\\x": b""}), "leads out"),
    "a folder that leads out": (
        "a.tgz",
        lambda: tarred(member("a/../..", tarfile.DIRTYPE)),
        "leads out",
    ),
    "a deep path": ("a.tgz", lambda: tarred(member("a/" * MOST_DEPTH + "run.sh")), "folders deep"),
    "a name with a line feed": ("a.tgz", lambda: tarred(member("a\nb")), "not a name"),
    "a name that is not text": ("a.tgz", lambda: tarred(member("a\udcff")), "not a name"),
    "a long name": ("a.zip", lambda: zipped(**{"a" * 201: b""}), "not a name"),
    "a file and a folder": (
        "a.tgz",
        lambda: tarred(member("a"), member("a/b")),
        "a file and a folder",
    ),
    "a name twice": ("a.tgz", lambda: tarred(member("a"), member("a")), "two entries"),
    "a name that is one twice": (
        "a.tgz",
        lambda: tarred(member("a"), member("./a")),
        "two entries",
    ),
    "100,000 files": (
        "a.tgz",
        lambda: tarred(*(member(f"f{number}") for number in range(100_000))),
        "more than 1,000",
    ),
    "100,000 entries of a zip": (
        "a.zip",
        lambda: zipped(**{f"f{number}": b"" for number in range(100_000)}),
        "more than 1,000",
    ),
    "nothing": ("a.zip", zipped, "holds no file"),
    "no zip": ("a.zip", lambda: b"PK\x03\x04 and then nothing", "cannot be unpacked"),
    "no gzip": ("a.tar.gz", lambda: b"nothing of that kind", "cannot be unpacked"),
    "half a tar": (
        "a.tgz",
        lambda: tarred(member("run.sh"), content=os.urandom(9999))[:5000],
        "cannot",
    ),
    "a rare method": ("a.zip", lambda: packed_by(zipfile.ZIP_LZMA), "rare"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_bot_is_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    """Nothing lies outside of the folder, and no more than a bot may have within it."""
    called, made, why = REFUSED[case]
    data = made()
    with pytest.raises(UsageError, match=why):
        unpack(data, called, tmp_path / "bot", MOST)
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]
    inside = [*(tmp_path / "bot").rglob("*")]
    assert all(path.is_dir() or path.is_file() for path in inside)
    assert not any(path.is_symlink() for path in inside)
    assert sum(path.stat().st_size for path in inside if path.is_file()) <= MOST
    assert len(inside) <= MOST_FILES


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE])
def test_a_long_pax_header_is_refused_before_it_is_read(
    kind: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some versions of Python read it in a time that grows with the square of its length."""

    def read(*_: object) -> None:
        raise AssertionError("it is read")

    monkeypatch.setattr(tarfile.TarInfo, "_proc_pax", read)
    with pytest.raises(UsageError, match="PAX header"):
        unpack(pax(4097, b"1" * 4097, kind), "a.tgz", tmp_path / "bot", MOST)


def test_many_headers_end_after_some_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that takes its time is refused while it is unpacked."""
    monkeypatch.setattr(unpacking, "MOST_SECONDS", -1)
    with pytest.raises(UsageError, match="seconds to unpack"):
        unpack(tarred(member("run.sh")), "a.tgz", tmp_path / "bot", MOST)


def as_zip() -> tuple[str, bytes]:
    return "bot.zip", zipped(**{"mine/run.sh": b"#!/bin/sh\n", f"mine/{FIVE_SCRIPTS}": b"x"})


def as_tar() -> tuple[str, bytes]:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in {"mine/run.sh": b"#!/bin/sh\n", f"mine/{FIVE_SCRIPTS}": b"x"}.items():
            info = member(name)
            info.size = len(content)
            info.uid = info.gid = 4242
            info.mode = 0o6777
            archive.addfile(info, io.BytesIO(content))
    return "bot.tar.gz", data.getvalue()


@pytest.mark.parametrize("made", [as_zip, as_tar], ids=["zip", "tar"])
def test_a_bot_comes_out_as_it_went_in(
    made: Callable[[], tuple[str, bytes]], tmp_path: Path
) -> None:
    """With names of any script, in its only folder; a program can be executed, and no file has
    another owner or a special permission."""
    called, data = made()
    unpack(data, called, tmp_path / "bot", MOST)
    folder = program_in(tmp_path / "bot")
    assert folder == tmp_path / "bot" / "mine"
    assert (folder / FIVE_SCRIPTS).read_bytes() == b"x"
    for path in folder.rglob("*"):
        assert path.stat().st_uid == os.getuid()
        assert path.stat().st_mode & 0o7022 == 0
    assert os.access(folder / "run.sh", os.X_OK)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_a_path_may_be_as_long_as_it_may(form: int, tmp_path: Path) -> None:
    """The header that it needs is not too long."""
    path = "/".join(["é" * 100] * (MOST_DEPTH - 1) + ["run.sh"])
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", format=form) as archive:
        archive.addfile(member(path))
    unpack(data.getvalue(), "a.tgz", tmp_path / "bot", MOST)
    assert (tmp_path / "bot" / path).is_file()


def test_a_program_may_be_as_long_as_a_bot(tmp_path: Path) -> None:
    """To the byte."""
    unpack(bytes(MOST), "run.sh", tmp_path / "bot", MOST)
    with pytest.raises(UsageError, match="more than"):
        unpack(bytes(MOST + 1), "run.sh", tmp_path / "other", MOST)


def test_a_single_file_keeps_how_its_name_ends(tmp_path: Path) -> None:
    """That says what runs it. A path in the name is not followed."""
    unpack(b"print(1)\n", "../../etc/bot.py", tmp_path / "bot", MOST)
    assert program_in(tmp_path / "bot") == tmp_path / "bot" / "bot.py"


def test_what_tools_leave_behind_is_left_out(tmp_path: Path) -> None:
    """The folder of a version control is not part of a bot, nor are a Mac's."""
    files = {
        "run.sh": b"#!/bin/sh\n",
        ".git/config": b"",
        "__MACOSX/._run.sh": b"",
        ".DS_Store": b"",
    }
    unpack(zipped(**files), "a.zip", tmp_path / "bot", MOST)
    assert [path.name for path in (tmp_path / "bot").iterdir()] == ["run.sh"]


def test_files_without_a_program_are_refused(tmp_path: Path) -> None:
    """It is not guessed which of several files is the bot."""
    unpack(zipped(**{"a.py": b"", "b.py": b""}), "a.zip", tmp_path / "bot", MOST)
    with pytest.raises(UsageError, match=r"no bot\.json and no run\.sh"):
        program_in(tmp_path / "bot")
