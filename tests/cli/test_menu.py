"""judge menu in a real terminal: what it asks, and the command that it prints and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import JUDGE, judge_at
from judge.game.variants import VARIANTS
from terminals import Terminal

pytestmark = pytest.mark.whole

MENU = [*JUDGE, "menu"]
QUICK = {"JUDGE_ISOLATION": "none", "JUDGE_LAUNCH": "fork"}


def answered(terminal: Terminal, *answers: tuple[str, str]) -> None:
    """Wait for each question and give the answer."""
    for question, answer in answers:
        terminal.shows(question)
        terminal.types(answer.encode() + b"\r")


def printed(terminal: Terminal) -> str:
    """The command that was printed, without the breaks of the screen's lines."""
    text = terminal.shows("$ judge ")
    return text[text.index("$ judge ") + 2 :].split("\n\n")[0].replace("\n", "")


FIGHT = (
    ("What to do [test]:", ""),
    ("The rules [brainjar]:", ""),
    ("The folder with the bots [.]:", ""),
)


@pytest.mark.parametrize("rules", VARIANTS)
def test_a_bot_is_tested_under_every_set_of_rules(rules: str, tmp_path: Path) -> None:
    """It plays against the bot that is offered for these rules, in the number of games that is
    asked for. A contest has a size, and games to log."""
    offered = {"contest": "contest-hunt", "xbs": "xbs-hunt", "broadsides": "salvo"}
    other = offered.get(rules, "hunter")
    sized = [("Rows of the board, 3 to 10 [10]:", "4")] if rules == "contest" else []
    logged = [("Which games to log [all]:", "2")] if rules == "contest" else []
    with Terminal(MENU, tmp_path, rows=90, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            FIGHT[0],
            ("The rules [brainjar]:", rules),
            *sized,
            FIGHT[2],
            ("Which bot [", other),
            (f"Against which bot [{other}]:", ""),
            ("Games [500]:" if sized else "Games [20]:", "2"),
            *logged,
            ("Which games to show [none]:", ""),
        )
        named = "" if rules == "brainjar" else f" --rules {rules}"
        if sized:
            named = " --rules contest-4 --game-log-games first-last:5 --game-log logs"
        shown = printed(terminal).split()
        assert sorted(shown) == sorted(f"judge fight {other} {other} --games 2{named}".split())
        terminal.shows(f"{other}#2", "win rate")
        assert terminal.ends() == 0
    assert (tmp_path / "ledger.json").exists()


def test_bots_are_chosen_by_number(tmp_path: Path) -> None:
    """Those that lie here come first, without what cannot play; a wrong answer is asked for again,
    and --config before menu is part of the command that is printed and run."""
    (tmp_path / "mine.toml").write_text("no-ledger = true\n")
    for name in ("ann", "xbs"):
        (tmp_path / name).symlink_to(_bundled("random" if name == "ann" else "xbs-hunt"))
    words = [*JUDGE, "--config", "mine.toml", "menu"]
    with Terminal(words, tmp_path, rows=90, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("What to do [test]:", "polo"),
            ("'polo' is neither one of these nor its number", "1"),
            ("The rules [brainjar]:", "whist"),
            ("'whist' is neither the name of rules", ""),
            ("The folder with the bots [.]:", "nowhere"),
            ("nowhere is not a folder", ""),
            ("Which bot [ann]:", "1"),
            ("Against which bot [hunter]:", ""),
            ("Games [20]:", "none"),
            ("'none' is no", "2"),
            ("Which games to show [none]:", ""),
        )
        assert "xbs" not in terminal.text.partition("The folder")[2]
        assert printed(terminal) == "judge --config mine.toml fight ann hunter --games 2"
        assert terminal.ends() == 0
    assert not (tmp_path / "ledger.json").exists()


def test_the_rules_of_the_configuration_are_usual(tmp_path: Path) -> None:
    """They are offered, and need no option; others are named in the command, brainjar too."""
    (tmp_path / "mine.toml").write_text('no-ledger = true\nrules = "xbs"\n')
    for rules, bot, words in (
        ("", "xbs-hunt", "xbs-hunt xbs-hunt --games 1"),
        ("brainjar", "random", "random random --rules brainjar --games 1"),
    ):
        with Terminal(
            [*JUDGE, "--config", "mine.toml", "menu"], tmp_path, rows=90, columns=100, **QUICK
        ) as terminal:
            answered(
                terminal,
                FIGHT[0],
                ("The rules [xbs]:", rules),
                FIGHT[2],
                ("Which bot [", bot),
                ("Against which bot [", bot),
                ("Games [20]:", "1"),
                ("Which games to show [none]:", ""),
            )
            assert printed(terminal) == f"judge --config mine.toml fight {words}"
            assert terminal.ends() == 0


def test_a_contest_is_run(tmp_path: Path) -> None:
    """With the numbers that the format takes: a knock-out has no rounds. Words that a shell would
    part are quoted."""
    folder = tmp_path / "my bots"
    folder.mkdir()
    for name in ("ann", "bob"):
        (folder / name).symlink_to(_bundled("random" if name == "ann" else "hunter"))
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("What to do [test]:", "contest"),
            ("The rules [brainjar]:", ""),
            ("The folder with the bots [.]:", "my bots"),
            ("The format [rounds]:", "knockout"),
            ("Games when two bots meet [3]:", "1"),
        )
        assert printed(terminal) == "judge rank 'my bots' --format knockout --games 1"
        terminal.shows("knock-out")
        assert terminal.ends() == 0


def test_a_contest_of_the_contest_is_asked_as_its_program_asks(tmp_path: Path) -> None:
    """The size and the games are asked for; the AIs lie in AI_Files, and no rounds are asked
    for."""
    for name in ("contest-hunt", "contest-rows"):
        (tmp_path / f"AI_Files/{name}").parent.mkdir(exist_ok=True)
        (tmp_path / f"AI_Files/{name}").symlink_to(_bundled(name))
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("What to do [test]:", "contest"),
            ("The rules [brainjar]:", "contest"),
            ("Rows of the board, 3 to 10 [10]:", "11"),
            ("'contest-11' is neither", "3"),
            ("The folder with the bots [AI_Files]:", ""),
            ("The format [lives]:", "knockout"),
            ("Games when two bots meet [500]:", "2"),
        )
        terminal.shows("knock-out")
        assert terminal.ends() == 0
        command = (
            "judge rank AI_Files --rules contest-3 --format knockout --games 2 --game-log logs"
        )
        assert printed(terminal) == command
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(terminal, ("What to do [test]:", "3"), ("[logs/contest_log.json]:", ""))
        terminal.shows("At the end:", "contest-hunt", "The matches:", "  1  round 1")
        answered(
            terminal, ("Match to step through [", "0"), ("is not a whole number from 1 to", "1")
        )
        terminal.shows("q quits")
        terminal.types(b"q")
        assert terminal.ends() == 0


def test_the_last_game_is_shown_when_all_are_over(tmp_path: Path) -> None:
    """By a second command, which is printed too; a log that is there is offered for a replay, and
    its games are chosen."""
    with Terminal(MENU, tmp_path, rows=90, columns=100, JUDGE_ISOLATION="none") as terminal:
        answered(
            terminal,
            FIGHT[0],
            ("The rules [brainjar]:", "contest-3"),
            FIGHT[2],
            ("Which bot [", "contest-hunt"),
            ("Against which bot [contest-hunt]:", "contest-rows"),
            ("Games [500]:", "5"),
            ("Which games to log [all]:", ""),
            ("Which games to show [none]:", "last"),
            ("How long each shot is shown [300ms]:", "1ms"),
        )
        terminal.shows("Game 5: ")
        terminal.types(b"q")
        assert terminal.ends() == 0
        replay = b"$ judge replay logs/match_log.json --which last --delay 1ms\r\n"
        assert replay in terminal.output
    with Terminal(MENU, tmp_path, rows=60, columns=100, JUDGE_ISOLATION="none") as terminal:
        answered(
            terminal,
            ("What to do [test]:", "replay"),
            ("a log or a page [", "logs/match_log.json"),
            ("Which games [last]:", "every:25"),
        )
        terminal.shows("Game 5: ")
        terminal.types(b"q")
        assert terminal.ends() == 0


def test_a_ledger_of_any_name_is_offered_and_replayed(tmp_path: Path) -> None:
    """Its name is shown without what a terminal would obey, and Enter takes the file itself, also
    where only its journal is there."""
    name = " \x1b]0;PWNED\x07\x1b[31mred .json"
    words = ["fight", "random", "hunter", "--seed", "3", "--quiet", "--ledger", name]
    assert judge_at(tmp_path, *words, **QUICK).returncode == 0
    (tmp_path / name).unlink()
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(terminal, ("What to do [test]:", "replay"), ("[ red .json]:", ""))
        terminal.shows("random against hunter")
        before, _, _ = terminal.output.partition(b"$ judge replay")
        assert b"\x1b]" not in before
        assert b"\x1b[31m" not in before
        terminal.types(b"q")
        assert terminal.ends() == 0


def test_a_person_plays(tmp_path: Path) -> None:
    """Against a bot that can play by the rules."""
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("What to do [test]:", "play"),
            ("The rules [brainjar]:", "xbs"),
            ("The folder with the bots [.]:", ""),
            ("Which bot [", "xbs-hunt"),
        )
        assert terminal.until(
            lambda: b"$ judge play xbs-hunt --rules xbs\r\n" in terminal.output, ""
        )
        assert terminal.is_broken_off() == 130
        assert terminal.is_as_before()


def test_a_bot_is_begun_and_checked_and_its_games_are_seen(tmp_path: Path) -> None:
    """A new bot is a folder here, which is offered for a check; a ledger is shown, and written as
    pages."""
    words = ["fight", "random", "hunter", "--seed", "3", "--quiet"]
    assert judge_at(tmp_path, *words, **QUICK).returncode == 0
    for answers, command in (
        ([("The language [", "python"), ("The folder to make [", "")], "new python mybot"),
        ([*FIGHT[1:], ("Which bot [mybot]:", "1")], "check mybot"),
        ([("The ledger [ledger.json]:", "")], "standings ledger.json"),
        (
            [("The folder for the pages [", ""), ("The ledger [ledger.json]:", "1")],
            "site public --ledger ledger.json",
        ),
    ):
        with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
            answered(terminal, ("What to do [test]:", command.split()[0]), *answers)
            assert printed(terminal) == f"judge {command}"
            assert terminal.ends() == 0
    assert (tmp_path / "public/index.html").exists()


def test_it_ends_at_a_question(tmp_path: Path) -> None:
    """Ctrl-C is not an answer."""
    with Terminal(MENU, tmp_path, **QUICK) as terminal:
        terminal.shows("What to do [test]:")
        assert terminal.is_broken_off() == 130
        assert "interrupted." in terminal.text


def _bundled(name: str) -> Path:
    return Path(__file__).parents[2] / "bots" / name
