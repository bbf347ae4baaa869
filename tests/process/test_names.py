"""The names of the bots of a folder: whichever cannot be told apart are left out, and only those."""

from __future__ import annotations

import unicodedata
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.process.bots.names import NamedBot, clean, look, mixed_scripts, told_apart


def folder(entry: str, name: str | None = None) -> NamedBot:
    """A bot's folder, with a name in its manifest or without."""
    return NamedBot(entry, False, clean(entry) if name is None else name)


def file(entry: str) -> NamedBot:
    """A script, which is called by its name without the ending."""
    return NamedBot(entry, True, clean(PurePath(entry).stem))


@given(st.text(max_size=80))
def test_a_clean_name_is_one_short_printable_line(text: str) -> None:
    """Whatever a folder is called, a name is at most 60 printable characters, and stays."""
    name = clean(text)
    assert len(name) <= 60
    assert name.isprintable()
    assert name == name.strip() == clean(name)


@pytest.mark.parametrize(
    "name",
    ["a\u200bnn", "\ufeffann", "a\u00adnn", "ann\u202e", "a\u034fnn", "ann\ufe0f", "an\u3164n"],
)
def test_a_character_that_nobody_sees_is_no_part_of_a_name(name: str) -> None:
    assert clean(name) == "ann"


@pytest.mark.parametrize(
    "name", ["ann", "Ann", "ANN", "\uff21nn", "a\u2099n", "ann#2", "Ann#2#3", "ann\uff032"]
)
def test_look_alikes_have_one_look(name: str) -> None:
    """Capitals, other forms of the same characters, and the numbers of namesakes."""
    assert look(name) == "ann"


@pytest.mark.parametrize("name", ["anne", "ann#best", "ann#", "ann2", "#2", "#2 ann", "\u0430nn"])
def test_other_names_have_another_look(name: str) -> None:
    """Also a name with a letter of another script, which is only told."""
    assert look(name) != "ann"


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("\u0430nn", ["Latin", "Cyrillic"]),
        ("\u0391nn \u0430", ["Latin", "Greek", "Cyrillic"]),
        ("\u13aann", ["Latin", "Cherokee"]),
        ("\ua4d0nn \u0585", ["Latin", "Armenian", "Lisu"]),
        ("b\u00f6se 2", []),
        ("\u0430\u043d\u043d\u0430", []),
        ("\uff41nn", []),
        ("\u4e2d\u6587 ann", []),
    ],
)
def test_letters_of_several_scripts_are_found(name: str, scripts: list[str]) -> None:
    """Those scripts are found whose letters look alike."""
    assert mixed_scripts(name) == scripts


NAMES = st.sampled_from(["ann", "Ann", "ann#2", "ann#2#2", "ann#best", "\uff41nn", "bob", "BOB"])
ENTRANTS = st.builds(
    lambda entry, ending, name: file(entry + ending) if ending else folder(entry, name),
    NAMES,
    st.sampled_from(["", "", ".py", ".rb", ".b.py"]),
    st.none() | NAMES,
)


@given(st.lists(ENTRANTS, unique_by=lambda one: one.entry))
def test_those_that_play_are_told_apart_and_all_others_are_left_out(bots: list[NamedBot]) -> None:
    """Whatever the folder, no two names look alike, and each bot plays or has a reason. A bot whose
    name is like no other's plays by it, and one that alone bears a name keeps it."""
    names, reasons = told_apart(bots)
    assert len({look(name) for name in names.values()}) == len(names)
    assert names.keys() | reasons.keys() == {one.entry for one in bots}
    assert not names.keys() & reasons.keys()
    for one in bots:
        alike = [other for other in bots if look(other.name) == look(one.name)]
        if len(alike) == 1 and not any(look(other.entry) == look(one.name) for other in bots):
            assert names[one.entry] == one.name
        if one.bears_its_name and not any(other.bears_its_name for other in alike if other != one):
            assert names[one.entry] == one.name


@given(st.lists(ENTRANTS, unique_by=lambda one: one.entry), st.randoms(use_true_random=False))
def test_the_order_of_a_folder_decides_nothing(bots, random) -> None:
    """Who plays, under which name, is the same in whatever order the bots are found."""
    shuffled = random.sample(bots, len(bots))
    assert told_apart(shuffled)[0] == told_apart(bots)[0]


def test_namesakes_are_left_out_and_never_the_others() -> None:
    names, reasons = told_apart([folder("yak", "ann"), folder("zed", "ann"), folder("bob")])
    assert names == {"bob": "bob"}
    assert reasons["yak"] == reasons["zed"]
    assert reasons["yak"].startswith(
        "the names of several bots are the same or look alike: 'ann' of 'yak', 'ann' of 'zed'; "
    )


def test_a_bot_whose_folder_bears_the_name_keeps_it() -> None:
    names, reasons = told_apart([folder("ann"), folder("yak", "ann"), folder("zed", "Ann#2")])
    assert names == {"ann": "ann"}
    assert reasons["yak"].startswith("it is called 'ann', the name that the folder 'ann' bears; ")
    assert reasons["zed"].startswith("its name, 'Ann#2', looks like 'ann', which the folder 'ann'")


def test_a_number_does_not_make_a_folder_bear_the_name_without_it() -> None:
    """So a copy of a folder leaves the first one in."""
    names, _ = told_apart([folder("ann"), folder("ann#2"), file("bob#2.py"), file("bob.py")])
    assert names == {"ann": "ann", "bob.py": "bob"}


def test_files_that_differ_by_their_ending_are_called_by_the_whole_name() -> None:
    """As the published contest's own ``make`` leaves a player beside its source; all of them play,
    and so does a folder beside a file."""
    files = [file("player"), file("player.py"), file("a.py"), file("a.rb"), file("b.py")]
    names, reasons = told_apart([*files, folder("c"), file("c.py")])
    assert names == {
        "player": "player",
        "player.py": "player.py",
        "a.py": "a.py",
        "a.rb": "a.rb",
        "b.py": "b",
        "c": "c",
        "c.py": "c.py",
    }
    assert reasons == {}


def test_a_reason_names_a_few_of_thousands() -> None:
    """Or what is said of a folder of namesakes would grow with the square of their number."""
    _, reasons = told_apart([folder(f"bot{number}", "ann") for number in range(2000)])
    assert len(reasons) == 2000
    assert "and 1995 more;" in reasons["bot1"]
    assert max(map(len, reasons.values())) < 400


def test_each_name_is_looked_at_as_often_in_a_large_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many bots take twice as many steps."""
    calls = 0

    def counted(form: str, text: str, normalize=unicodedata.normalize) -> str:
        nonlocal calls
        calls += 1
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", counted)

    def steps(bots: int) -> int:
        nonlocal calls
        calls = 0
        told_apart([folder(f"bot{number}") for number in range(bots)])
        return calls

    assert steps(400) == 2 * steps(200) > 0
