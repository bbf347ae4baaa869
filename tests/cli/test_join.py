"""judge join, as its user sees it: real processes at our own servers."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from commands import JUDGE, ROOT
from judge.contest.ledger_games import game as game_of
from judge.documents.game import Termination
from server_process import running
from terminals import CTRL_C, ENTER, Terminal

pytestmark = pytest.mark.whole

PATIENCE = 240


def started(folder: Path, *arguments: str, **streams: int) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [*JUDGE, "join", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
        text=True,
        **pipes | streams,
    )


def ended(processes: Sequence[subprocess.Popen[str]]) -> list[tuple[int, str, str]]:
    """Their exit statuses, and what they wrote."""
    try:
        said = [process.communicate(timeout=PATIENCE) for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(one.returncode, *both) for one, both in zip(processes, said, strict=True)]


def judged(folder: Path, *arguments: str) -> tuple[int, str, str]:
    (end,) = ended([started(folder, *arguments)])
    return end


def test_bots_at_a_table_of_xbs(tmp_path: Path) -> None:
    """Three bots of three wires play two games at one table, under their names, to the end. The
    exchanges of an earlier run are kept."""
    (tmp_path / "io" / "game-1").mkdir(parents=True)
    with running(tmp_path, "xbs", "--auto-start", "--max", "3", "--repeat=2") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        ends = ended(
            [
                started(tmp_path, at, "--bot", "random@open", "--games", "2", "--io", "io"),
                started(tmp_path, at, "--bot", "hunter@open-lines", "--games", "2", "--log", "log"),
                started(tmp_path, at, "--bot", "xbs-hunt", "--games", "2", "--name", "ann"),
            ]
        )
    assert [status for status, _, _ in ends] == [0, 0, 0], ends
    assert len({out for _, out, _ in ends}) == 1, "all are told the same results"
    form = r"game [12]: (\w+ wins|\w+ and \w+ tie) with 17 points; (\w+ \d+(, )?)+ \(.* when .*\)\n"
    assert re.fullmatch(f"({form}){{2}}", ends[0][1]), ends[0][1]
    games = [game_of(tmp_path / "xbs.ledger.json", number) for number in "12"]
    assert [{seat.name for seat in game.seats} for game in games] == [
        {"random", "hunter", "ann"}
    ] * 2
    logs = sorted(path.name for path in (tmp_path / "io").glob("game-[23]/?-random.exchange"))
    assert logs == ["A-random.exchange"] * 2
    assert 'Sent message: "J|hunter|' in (tmp_path / "log").read_text()


def test_bots_at_a_server_of_bsp(tmp_path: Path) -> None:
    """Two bots play two games, one of them under a name."""
    with running(tmp_path, "bsp") as server:
        at = f"bsp://127.0.0.1:{server.port}"
        ends = ended(
            [
                started(tmp_path, at, "--bot", "hunter", "--games", "2", "--name", "ann"),
                started(tmp_path, at, "--bot", "random@open-lines", "--games", "2"),
            ]
        )
    assert [status for status, _, _ in ends] == [0, 0], ends
    games = [game_of(tmp_path / "bsp.ledger.json", number) for number in "12"]
    assert [game.outcome.termination for game in games] == [Termination.FLEET_DESTROYED] * 2
    assert {seat.name for game in games for seat in game.seats} == {"ann", "guest-1"}
    assert ends[0][1].count("\n") == 2
    assert re.search("hunter beats the opponent: |the opponent beats hunter: ", ends[0][1])


def cutting(listening: socket.socket, port: int, after: Sequence[int]) -> None:
    """Pass connections on to a port, and cut each after a number of bytes of the server."""
    for most in after:
        client, _ = listening.accept()
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            back = threading.Thread(target=pumped, args=(client, server, 2**30))
            back.start()
            pumped(server, client, most)
            back.join()


def pumped(source: socket.socket, sink: socket.socket, most: int) -> None:
    """Pass bytes on until there are no more, or this many have come; then end both."""
    with suppress(OSError):
        while most > 0 and (data := source.recv(4096)):
            sink.sendall(data)
            most -= len(data)
    for one in (source, sink):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def test_a_bot_whose_connection_is_cut(tmp_path: Path) -> None:
    """A shell-bot that is cut off twice comes back each time, and plays the game to its end."""
    with (
        running(tmp_path, "xbs", "--auto-start", "--max", "2") as server,
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        after = (3000, 3000, 2**30)
        proxy = threading.Thread(target=cutting, args=(listening, server.port, after), daemon=True)
        proxy.start()
        ends = ended(
            [
                started(tmp_path, f"xbs://127.0.0.1:{port}", "--bot", bot)
                for port, bot in (
                    (listening.getsockname()[1], "xbs-hunt"),
                    (server.port, "hunter@open-lines"),
                )
            ]
        )
        proxy.join()
    (status, result, err), other = ends
    assert (status, result) == (0, other[1]), ends
    assert result.startswith("game 1: ")
    assert err.count("the bot is back at the table") == 2


def test_a_bot_that_fails(tmp_path: Path) -> None:
    """It is the bot's fault, said in a sentence and by the evidence of its run, with an exit status
    of its own and a command that says more."""
    bot = tmp_path / "crash.py"
    bot.write_text("import sys\nprint('no idea', file=sys.stderr)\nraise SystemExit(7)\n")
    with running(tmp_path, "xbs") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        status, out, err = judged(tmp_path, at, "--bot", f"{bot}@open")
    assert (status, out) == (3, "")
    assert "crash failed, and its game was left: it exited with status 7; `judge check" in err
    assert f"{bot}@open --rules xbs` says more" in err
    assert "\n  stderr  no idea\n" in err


def test_what_cannot_be_joined(tmp_path: Path) -> None:
    """A bot that cannot play the server's game, or not under its name."""
    with running(tmp_path, "xbs") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        status, _, err = judged(tmp_path, at, "--bot", "hunter@brainjar")
        assert status == 2
        assert "hunter cannot play the rules 'xbs': over the wire brainjar" in err
        status, _, err = judged(tmp_path, at, "--bot", "hunter", "--name", "me")
        assert status == 2
        assert "can be called 'me': invalid name; --name gives another" in err


def person(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Somebody who plays line by line."""
    return started(folder, *arguments, stdin=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=1)


def shown(process: subprocess.Popen[str], *words: str) -> str:
    """The next line that has one of these words."""
    assert process.stdout
    line = "\n"
    while line and not any(word in line for word in words):
        line = process.stdout.readline()
    return line


def types(process: subprocess.Popen[str], *lines: str) -> None:
    assert process.stdin
    process.stdin.write("".join(f"{line}\n" for line in lines))


def test_a_person_at_a_table_with_a_bot(tmp_path: Path) -> None:
    """A person places ships by hand, and plays a bot to the end of the game: the ledger has
    the shots that were typed."""
    small = ("--width", "8", "--height", "8", "--boats", "A3,B2", "--goal", "2")
    with running(
        tmp_path, "xbs", "--auto-start", "--max", "2", *small, "--bot", "hunter"
    ) as server:
        one = person(tmp_path, f"xbs://127.0.0.1:{server.port}", "--name", "ann")
        try:
            assert shown(one, "place your ships")
            types(one, "b2h", "b4v", "join")
            assert shown(one, "the game begins")
            typed = []
            while "is over" not in shown(one, "it is your turn, for", "the game is over"):
                typed.append(f"{'abcdefgh'[len(typed) % 8]}{len(typed) // 8 + 1}")
                types(one, "say my move", typed[-1])
            assert shown(one, "again plays another game")
            types(one, "quit")
            assert one.wait(PATIENCE) == 0
        finally:
            one.kill()
            one.communicate()
    game = game_of(tmp_path / "xbs.ledger.json", "1")
    ann = [seat.name for seat in game.seats].index("ann")
    cells = [one.cell for one in game.shots if one.seat == ann]
    assert [f"{'abcdefgh'[cell.column]}{cell.row + 1}" for cell in cells] == typed


@pytest.mark.parametrize("seated", ["person", "bot"])
def test_an_interrupt_leaves(seated: str, tmp_path: Path) -> None:
    """Ctrl-C in a game surrenders it at BSP, and the exit status says so."""
    who = [] if seated == "person" else ["--bot", "hunter"]
    with running(tmp_path, "bsp") as server:
        one = person(tmp_path, f"bsp://127.0.0.1:{server.port}", *who)
        try:
            assert shown(one, "wait for the game", "waits for the game")
            peer = server.connect()
            peer.say("JOIN ann\n")
            peer.until("TURN")
            assert shown(one, "the game begins")
            one.send_signal(signal.SIGINT)
            assert one.wait(PATIENCE) == 130
            assert peer.until("END_GAME")[-1] == "END_GAME SURRENDER A"
        finally:
            one.kill()
            one.communicate()


def test_a_full_screen(tmp_path: Path) -> None:
    """In a terminal the boards stand on a screen; Ctrl-C leaves the table, and the terminal is as it
    was found."""
    with running(tmp_path, "xbs", "--auto-start", "--max", "2", "--bot", "hunter") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        with Terminal([*JUDGE, "join", at, "--name", "ann"], tmp_path, rows=40) as terminal:
            terminal.shows("place your ships", "your ships")
            terminal.types("random", ENTER, "join", ENTER)
            terminal.shows("it is your turn, for", "1: ", "2: ")
            terminal.resize(60, 50)
            terminal.shows("1: ", "2: ")
            terminal.types(CTRL_C)
            assert terminal.ends() == 130
            assert terminal.is_as_before()


def test_line_by_line_in_a_terminal(tmp_path: Path) -> None:
    """With --plain, and in a terminal that can only add lines, nothing is drawn."""
    with running(tmp_path, "xbs") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        with Terminal([*JUDGE, "join", at, "--name", "ann", "--plain"], tmp_path) as terminal:
            terminal.shows("place your ships")
            terminal.types("quit", ENTER)
            assert terminal.ends() == 0
            assert terminal.is_as_before()
