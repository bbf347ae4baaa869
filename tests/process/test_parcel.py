"""Parcels of bots: packed, sent, unpacked into a cache, and refused where they are not what they say."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pytest

from changes import replace
from judge.errors import JudgeFault, UsageError
from judge.process.bots.bot import Bot, find, with_library
from judge.process.bots.contents import ContentPart
from judge.process.bots.parcel import BotCache, foreign_program, packed

MOST = 10**6


def folder_bot(path: Path) -> Bot:
    (path / "inner").mkdir(parents=True)
    (path / "run.sh").write_text("#!/bin/sh\nexec ./inner/program\n")
    (path / "inner" / "program").write_text("#!/bin/sh\n")
    (path / "inner" / "program").chmod(0o755)
    (path / "link").symlink_to("inner/program")
    return find(str(path))


def file_bot(path: Path, text: str = "print(1)\n") -> Bot:
    path.write_text(text)
    return find(str(path))


def arrives(bot: Bot, cache: BotCache) -> Bot:
    with cache.using([packed(bot)]) as (bots, unfit):
        assert not unfit
        return bots[bot.digest]


def test_a_folder_arrives_with_its_links_and_executable_bits(tmp_path: Path) -> None:
    """The bot that arrives has the digest of the one that was sent, and lies in the cache."""
    bot = folder_bot(tmp_path / "bot")
    there = arrives(bot, BotCache(tmp_path / "cache", MOST))
    assert (there.digest, there.size) == (bot.digest, bot.size)
    assert there.folder.is_relative_to(tmp_path / "cache")
    assert (there.folder / "link").readlink() == Path("inner/program")
    assert (there.folder / "inner" / "program").stat().st_mode & 0o777 == 0o555
    assert there.folder.stat().st_mode & 0o777 == 0o555


def test_a_file_arrives_with_the_library_beside_it(tmp_path: Path) -> None:
    """A single file, and one that may load from a folder beside it."""
    plain = file_bot(tmp_path / "ann.py")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "helper.py").write_text("N = 1\n")
    helped = with_library(file_bot(tmp_path / "bob.py"), "lib", MOST)
    cache = BotCache(tmp_path / "cache", MOST)
    for bot in (plain, helped):
        there = arrives(bot, cache)
        assert (there.digest, there.name) == (bot.digest, bot.name)
        assert [path.name for path in there.files] == [path.name for path in bot.files]


def test_the_same_bot_gives_the_same_parcel(tmp_path: Path) -> None:
    """Neither times nor the folder that it lies in are in a parcel."""
    first = folder_bot(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "two", symlinks=True)
    assert packed(find(str(tmp_path / "two"))) == packed(first)


def test_a_command_line_is_not_sent(tmp_path: Path) -> None:
    """It names what lies on this machine alone."""
    file_bot(tmp_path / "bot.py")
    with pytest.raises(UsageError, match="cannot be sent to another machine"):
        packed(find(f"python3 {tmp_path / 'bot.py'} --level 3"))


def test_a_bot_is_unpacked_once_and_dropped_when_room_is_needed(tmp_path: Path) -> None:
    """The copy that was used the longest time ago goes first, and no copy that is in use goes."""
    bots = [file_bot(tmp_path / f"{name}.py", f"# {name}\n") for name in ("ann", "bob", "cyd")]
    cache = BotCache(tmp_path / "cache", bots[0].size * 2)
    ann, bob, cyd = bots

    def there() -> list[bool]:
        folder = tmp_path / "cache"
        return [(folder / bot.digest.removeprefix("sha256:")).is_dir() for bot in bots]

    arrives(ann, cache)
    arrives(bob, cache)
    unpacked = arrives(ann, cache).folder.stat().st_ino
    arrives(cyd, cache)
    assert there() == [True, False, True]
    with cache.using([packed(ann), packed(cyd)]):
        arrives(bob, cache)
        assert there() == [True, False, True]
    assert arrives(ann, cache).folder.stat().st_ino == unpacked
    cache.close()
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_program_for_another_machine_is_found(tmp_path: Path) -> None:
    """The header of a compiled program tells; one for this machine beside it will do."""
    bot = folder_bot(tmp_path / "bot")
    assert foreign_program(bot) is None
    own = Path("/proc/self/exe").read_bytes()[:64]
    (bot.folder / "inner" / "program").write_bytes(own[:18] + b"\xff\xff" + own[20:])
    assert foreign_program(find(str(bot.folder))) == "program"
    other = find(str(bot.folder))
    with BotCache(tmp_path / "cache", MOST).using([packed(other)]) as (found, unfit):
        assert not found
        assert unfit == {other.digest: "its program program is made for another kind of machine"}
    (bot.folder / "inner" / "own").write_bytes(own)
    (bot.folder / "inner" / "own").chmod(0o755)
    assert foreign_program(find(str(bot.folder))) is None


def test_a_parcel_of_a_stranger_is_refused(tmp_path: Path) -> None:
    """Other files, files or links outside of its folder, more bytes than it says, a file twice, a
    library elsewhere, a digest that is a path: each leaves the cache empty and nothing beside it."""
    good = packed(file_bot(tmp_path / "ann.py"))
    above = ContentPart("a", b"../../../", is_link=True)
    hostile = {
        "other files": replace(good, parts=(ContentPart("ann.py", b"print(2)\n"),)),
        "a file above": replace(good, parts=(ContentPart("../../escape", b"x"),)),
        "an absolute one": replace(good, parts=(ContentPart(str(tmp_path / "escape"), b"x"),)),
        "a file by a link": replace(good, size=50, parts=(above, ContentPart("a/escape", b"x"))),
        "a link above": replace(
            good, size=50, parts=(ContentPart("ann.py", b"../../x", is_link=True),)
        ),
        "no name": replace(good, parts=(ContentPart("", b"x"),)),
        "a zero byte": replace(good, parts=(ContentPart("ann.py\0", b"x"),)),
        "a file twice": replace(good, size=50, parts=(*good.parts, *good.parts)),
        "more bytes": replace(good, parts=(ContentPart("ann.py", b"x" * 10**5),)),
        "a file outside": replace(good, file="../../../ann.py"),
        "another digest": replace(good, digest="sha256:" + 64 * "0"),
    }
    cache = BotCache(tmp_path / "cache", MOST)
    for name, parcel in hostile.items():
        with (
            contextlib.suppress(JudgeFault),
            cache.using([parcel]) as (known, unfit),
        ):
            assert unfit, name
            assert not known, name
        assert not list((tmp_path / "cache").glob("*")), name
        assert not list((tmp_path / "cache").glob(".*")), name
        assert not (tmp_path / "escape").exists()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "hello").write_text("hello\n")
    with_it = packed(file_bot(tmp_path / "bob.py"))
    lying = with_library(find(str(tmp_path / "bob.py")), str(outside), MOST)  # as a stranger may
    for name in (str(outside), "..", "../..", ".", "//", "a/b"):
        parcel = replace(with_it, digest=lying.digest, size=MOST, library=name)
        with (
            pytest.raises(JudgeFault, match="which is not a file or folder of it"),
            cache.using([parcel]),
        ):
            pass
    path = replace(good, digest="sha256:../x")
    with (
        pytest.raises(JudgeFault, match="is not a digest"),
        cache.using([path]),
    ):
        pass
