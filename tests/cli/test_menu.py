"""judge menu in a real terminal: what it asks, and the command that it prints and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import JUDGE, judge_at
from games import played
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


@pytest.mark.parametrize("rules", VARIANTS)
def test_a_bot_is_tested_under_every_set_of_rules(rules: str, tmp_path: Path) -> None:
    """Against the bot that is offered for these rules, in so many games as are asked for."""
    offered = {"contest": "contest-hunt", "xbs": "xbs-hunt", "broadsides": "salvo"}
    other = offered.get(rules, "hunter")
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("Your choice (test, contest, replay, play) [test]:", ""),
            ("The rules [brainjar]:", rules),
            ("The bot to test:", other),
            (f"Against which bot [{other}]:", ""),
            ("[500]:" if rules == "contest" else "Games [20]:", "2"),
            ("Show every shot of every game? [y/N]:", "n"),
        )
        named = "" if rules == "brainjar" else f" --rules {rules}"
        named += " --game-log logs" if rules.startswith("contest") else ""
        assert printed(terminal) == f"judge fight {other} {other} --games 2{named}"
        terminal.shows(f"{other}#2", "win rate")
        assert terminal.ends() == 0
    assert (tmp_path / "ledger.json").exists()


def test_the_named_file_holds_for_the_command_too(tmp_path: Path) -> None:
    """--config before menu is part of the command that is printed and run."""
    (tmp_path / "mine.toml").write_text("no-ledger = true\n")
    words = [*JUDGE, "--config", "mine.toml", "menu"]
    with Terminal(words, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("Your choice", ""),
            ("The rules [brainjar]:", ""),
            ("The bot to test:", "hunter"),
            ("Against which bot [hunter]:", ""),
            ("Games [20]:", "2"),
            ("Show every shot of every game? [y/N]:", "n"),
        )
        assert printed(terminal) == "judge --config mine.toml fight hunter hunter --games 2"
        assert terminal.ends() == 0
    assert not (tmp_path / "ledger.json").exists()


def test_a_contest_is_run(tmp_path: Path) -> None:
    """With the numbers that the format takes; a wrong answer is asked for again, and words that a
    shell would part are quoted."""
    folder = tmp_path / "my bots"
    folder.mkdir()
    for name in ("ann", "bob"):
        (folder / name).symlink_to(_bundled("random" if name == "ann" else "hunter"))
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("[test]:", "polo"),
            ("'polo' is none of test, contest, replay, play", "contest"),
            ("The rules [brainjar]:", "whist"),
            ("'whist' is neither a variant", ""),
            ("The folder with the bots:", "nowhere"),
            ("nowhere is no folder", "my bots"),
            ("The format (rounds, gauntlet,", "knockout"),
            ("Games when two bots meet [3]:", "none"),
            ("'none' is no", "1"),
        )
        assert printed(terminal) == "judge rank 'my bots' --format knockout --games 1"
        terminal.shows("knock-out")
        assert terminal.ends() == 0


def test_games_by_other_rules_get_a_ledger_of_their_own(tmp_path: Path) -> None:
    """Where the ledger that lies here holds games by other rules, or there are several, the one for
    these games is asked for; one that does not fit is refused at once."""

    def questions(rules: str, *more: tuple[str, str]) -> str:
        with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
            answered(
                terminal,
                ("[test]:", ""),
                ("The rules [brainjar]:", rules),
                ("The bot to test:", "hunter"),
                ("Against which bot", "hunter"),
                ("Games", "2"),
                *more,
                ("Show every shot of every game? [y/N]:", "n"),
            )
            terminal.shows("win rate")
            assert terminal.ends() == 0
            return printed(terminal)

    assert "--ledger" not in questions("brainjar")
    offered = "The ledger for these games [bsp-ledger.json]:"
    said = questions("bsp", (offered, "ledger.json"), ("ledger.json holds games by other", ""))
    assert said.endswith("--ledger bsp-ledger.json")
    assert questions("brainjar", ("[ledger.json]:", "")).endswith("--ledger ledger.json")
    assert {path.name for path in tmp_path.glob("*.json")} == {"ledger.json", "bsp-ledger.json"}


def test_a_contest_by_other_rules_gets_a_ledger_of_its_own(tmp_path: Path) -> None:
    """The one beside the folder of the bots holds games by other rules."""
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("random", "hunter"):
        (folder / name).symlink_to(_bundled(name))
    words = ["rank", "bots", "--rounds", "1", "--quiet"]
    assert judge_at(tmp_path, *words, **QUICK).returncode == 0
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("[test]:", "contest"),
            ("The rules [brainjar]:", "bsp"),
            ("The folder with the bots:", "bots"),
            ("The format (rounds, gauntlet,", "rounds"),
            ("bots.ledger.json holds games by other rules", ""),
            ("Rounds [", "1"),
        )
        assert "--ledger bsp-bots.ledger.json" in printed(terminal)
        terminal.shows("2 bots")
        assert terminal.ends() == 0


def test_games_are_replayed(tmp_path: Path) -> None:
    """A record that lies there."""
    (tmp_path / "game.json").write_text(json.dumps(played(seed=3).to_json()))
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("[test]:", "replay"),
            ("[ledger.json]:", "nothing"),
            ("there is no nothing", "game.json"),
        )
        terminal.shows("hunter against random, 0 of")
        terminal.types(b"q")
        assert terminal.ends() == 0
        assert b"$ judge replay game.json\r\n" in terminal.output


def test_a_ledger_of_any_name_is_offered_and_replayed(tmp_path: Path) -> None:
    """Its name is shown without what a terminal would obey, and Enter takes the file itself."""
    name = "\x1b]0;PWNED\x07\x1b[31mred.json"
    words = ["fight", "random", "hunter", "--seed", "3", "--quiet", "--ledger", name]
    assert judge_at(tmp_path, *words, **QUICK).returncode == 0
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("[test]:", "replay"),
            ("[red.json]:", ""),
        )
        terminal.shows("random against hunter")
        before, _, _ = terminal.output.partition(b"$ judge replay")
        assert b"\x1b]" not in before
        assert b"\x1b[31m" not in before
        terminal.types(b"q")
        assert terminal.ends() == 0


def test_a_ledger_that_is_only_its_journal_is_offered_and_replayed(tmp_path: Path) -> None:
    """The journal is all that a ledger needs, also where its name begins and ends with a space."""
    words = ["fight", "random", "hunter", "--seed", "3", "--quiet", "--ledger", " kept .json"]
    assert judge_at(tmp_path, *words, **QUICK).returncode == 0
    (tmp_path / " kept .json").unlink()
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(terminal, ("[test]:", "replay"), ("[ kept .json]:", ""))
        terminal.shows("random against hunter")
        terminal.types(b"q")
        assert terminal.ends() == 0


def test_the_log_of_a_contest_is_replayed(tmp_path: Path) -> None:
    """It lies where a contest writes it. Its leaderboards are offered first, and then games; of the
    log of a match there are games alone."""
    for name in ("contest-hunt", "contest-rows"):
        (tmp_path / f"ai/{name}").parent.mkdir(exist_ok=True)
        (tmp_path / f"ai/{name}").symlink_to(_bundled(name))
    words = [
        "rank",
        "ai",
        "--rules",
        "contest-3",
        "--games",
        "2",
        "--game-log",
        "logs",
        "--no-ledger",
    ]
    assert judge_at(tmp_path, *words, **QUICK).returncode == 0
    named = "leaderboards, last, one-of-each, all, every:N or a game's number"
    question = f"Which games ({named}) [leaderboards]:"
    asked = [("[test]:", "replay"), ("[logs/contest_log.json]:", "")]
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(terminal, *asked, (question, ""))
        terminal.shows("At the end:", "contest-hunt")
        assert terminal.ends() == 0
        assert printed(terminal).startswith("judge replay logs/contest_log.json")
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(terminal, *asked, (question, "last"), ("Step through by keys? [Y/n]:", ""))
        terminal.shows("placing, 0 of 3")
        terminal.types(b"q")
        assert terminal.ends() == 0
        assert b"$ judge replay logs/contest_log.json --which last --step\r\n" in terminal.output


def test_games_of_a_match_are_chosen(tmp_path: Path) -> None:
    """Of what was written last, the log of a match or a ledger: a game by its number or each Nth,
    by keys or by itself after a delay."""
    words = ["fight", "contest-hunt", "contest-rows", "--rules", "contest-3", "--games", "5"]
    words += ["--game-log", "logs"]
    assert judge_at(tmp_path, *words, JUDGE_ISOLATION="none").returncode == 0
    question = "Which games (last, one-of-each, all, every:N or a game's number) [last]:"
    steps = "Step through by keys? [Y/n]:"
    log = "logs/match_log.json"
    asked = [("[test]:", "replay"), (f"[{log}]:", "")]
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            *asked,
            (question, "every:0"),
            ("'every:0' is none of", "every:2"),
            (steps, "n"),
            ("How long each step is shown [300ms]:", "0"),
            ("is not a duration above zero", "1ms"),
        )
        terminal.shows("3 of 3 games")
        terminal.types(b"q")
        assert terminal.ends() == 0
        command = f"$ judge replay {log} --which every:2 --delay 1ms\r\n"
        assert command.encode() in terminal.output
    asked = [("[test]:", "replay"), (f"[{log}]:", "ledger.json")]
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(terminal, *asked, (question, "2"), (steps, ""))
        terminal.shows("Game 2: ", "placing, 0 of 3")
        terminal.types(b"q")
        assert terminal.ends() == 0
        assert b"$ judge replay ledger.json --game 2 --step\r\n" in terminal.output


def test_a_person_plays(tmp_path: Path) -> None:
    """A bot that cannot play by the rules is refused at the question."""
    with Terminal(MENU, tmp_path, rows=60, columns=100, **QUICK) as terminal:
        answered(
            terminal,
            ("[test]:", "play"),
            ("The rules [brainjar]:", "xbs"),
            ("Your opponent [xbs-hunt]:", "heatmap"),
            ("heatmap cannot play the rules 'xbs'", ""),
        )
        assert terminal.until(
            lambda: b"$ judge play xbs-hunt --rules xbs\r\n" in terminal.output, ""
        )
        assert terminal.is_broken_off() == 130
        assert terminal.is_as_before()


def test_it_ends_at_a_question(tmp_path: Path) -> None:
    """Ctrl-C is no answer."""
    with Terminal(MENU, tmp_path, **QUICK) as terminal:
        terminal.shows("[test]:")
        assert terminal.is_broken_off() == 130
        assert "interrupted." in terminal.text


def _bundled(name: str) -> Path:
    return Path(__file__).parents[2] / "bots" / name
