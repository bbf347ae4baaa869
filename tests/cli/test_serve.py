"""judge serve, as its user sees it: real processes, stopped, killed and started again."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from commands import JUDGE, ROOT, judge_at, line_of
from judge import schemas
from judge.contest.ledger.files import locked
from judge.contest.ledger.verify import verify
from judge.contest.ledger_games import game as game_in
from judge.contest.ledger_games import game as game_of
from judge.documents.game import Termination
from server_process import PATIENCE, Peer, Running, running
from terminals import Terminal

pytestmark = pytest.mark.whole


@contextmanager
def example(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A client that comes with the judge, as a program of its own."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_example_client_of_bsp_plays_game_after_game(tmp_path: Path) -> None:
    """Two of them play two games to the end, under their names."""
    client = str(ROOT / "bots" / "_bsp-hunt" / "client.py")
    with running(tmp_path, "bsp") as server:
        at = ["127.0.0.1", str(server.port)]
        with (
            example(client, *at, "ann", "--games", "2") as one,
            example(client, *at, "bob", "--games", "2") as other,
        ):
            said = [process.communicate(timeout=PATIENCE)[0] for process in (one, other)]
    assert all(re.fullmatch(r"(END_GAME WINNER [AB] \(I was [AB]\)\n){2}", text) for text in said)
    games = [game_of(tmp_path / "bsp.ledger.json", number) for number in "12"]
    assert [game.outcome.termination for game in games] == [Termination.FLEET_DESTROYED] * 2
    assert {seat.name for game in games for seat in game.seats} == {"ann", "bob"}


def test_the_example_client_of_xbs_plays_at_a_server(tmp_path: Path) -> None:
    """Three of them play a game to the end, and are told the results."""
    client = str(ROOT / "bots" / "xbs-hunt" / "bot.py")
    with running(tmp_path, "xbs", "--auto-start", "--max", "3") as server:
        at = ["-h", "127.0.0.1", "-p", str(server.port)]
        with (
            example(client, "-n", "ann", *at) as one,
            example(client, "-n", "bob", *at) as other,
            example(client, "-n", "cy", *at) as third,
        ):
            said = [process.communicate(timeout=PATIENCE)[0] for process in (one, other, third)]
    assert said[0].startswith("F|finished|")
    assert said[0].count("\nR|") == 3
    assert said[0] == said[1] == said[2]


def begun_by_now(path: Path, games: int) -> None:
    """Wait until the ledger says that this number of games has begun: it is written besides
    playing."""
    journal = path.with_suffix(".games.jsonl")
    end = time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_bytes().count(b'"kind":"begun"') < games:
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_a_server(tmp_path: Path, number: signal.Signals) -> None:
    """The tables are told, games are recorded as aborted, and the exit status is 0. Games that a
    busy machine could not record in time are recorded by the next server."""
    with running(tmp_path, "bsp") as server:
        assert "games are kept in bsp.ledger.json" in server.said
        games = [server.seated((f"a{one}", f"b{one}")) for one in range(5)]
        begun_by_now(tmp_path / "bsp.ledger.json", 5)
        server.process.send_signal(number)
        for pair in games:
            for peer in pair:
                assert peer.rest() == "END_GAME ABORTED A\n"
        said, errors = server.process.communicate(timeout=PATIENCE)
        assert (server.process.returncode, errors) == (0, "")
    if "could not be kept in time" in said:
        with running(tmp_path, "bsp"):
            pass
    verified = verify(tmp_path / "bsp.ledger.json")
    assert (verified.games, verified.problems) == (5, ())
    assert game_in(tmp_path / "bsp.ledger.json").outcome.termination == "aborted"


def test_a_killed_server_loses_no_finished_game(tmp_path: Path) -> None:
    """A game told to be over is in the ledger; any other is recorded as aborted when the next
    server starts, which says so, once."""
    path = tmp_path / "bsp.ledger.json"
    with running(tmp_path, "bsp") as server:
        over, going = server.seated(), server.seated(("cy", "dan"))
        over[0].say("SURRENDER\n")
        assert over[1].rest() == "END_GAME SURRENDER A\n"
        # The same thread writes in order: the game that is over stands behind those begun before it.
        server.process.kill()
        assert going[0].rest() == ""
    assert game_in(path).outcome.termination is Termination.RESIGNED
    assert verify(path).problems == ()
    with running(tmp_path, "bsp") as server:
        assert "1 game was not over when an earlier server was killed, recorded as" in server.said
        server.seated()
        begun_by_now(path, 3)
    with running(tmp_path, "bsp") as server:
        assert "1 game was not over" in server.said  # that of the second server
    found = [game_of(path, f"{number}") for number in (1, 2, 3)]
    assert [one.outcome.termination for one in found] == ["resigned", "aborted", "aborted"]
    assert [seat.name for seat in found[1].seats] == ["cy", "dan"]
    assert verify(path).problems == ()


def test_a_killed_table_says_so_when_it_is_started_again(tmp_path: Path) -> None:
    """A game of XBS that was going on is recorded as aborted by the next server, which says so and
    opens a lobby; the game before it stays as it was."""
    path = tmp_path / "xbs.ledger.json"
    table = ["xbs", "--max", "2", "--auto-start", "--goal", "1", "--repeat"]

    def joined(server: Running) -> dict[str, Peer]:
        peers = {}
        for name, board in zip(("ann", "bob"), BOARDS, strict=True):
            peers[name] = server.connect()
            peers[name].say(f"J|{name}|{board}\n")
            peers[name].until(f"J|{name}")
        return peers

    with running(tmp_path, *table) as server:
        peers = joined(server)
        up = peers["ann"].until("N|")[-1][2:]
        other = "bob" if up == "ann" else "ann"
        hit = "S|bob|1|9" if up == "ann" else "S|ann|1|1"
        peers[up].say(f"{hit}\n")
        peers[other].until(f"N|{other}")
        peers[other].say("K\n")
        assert f"\nF|finished|1|2\nR|{up}|1|0|1|\n" in peers[up].rest()
        peers = joined(server)
        peers["ann"].until("N|")
        begun_by_now(path, 2)
        server.process.kill()
        peers["ann"].rest()
    with running(tmp_path, *table) as server:
        assert "1 game was not over when an earlier server was killed, recorded as" in server.said
        assert server.connect().line().startswith("G|2.0.1|Battleships|N|2|2|0|1|")
    games = [game_of(path, number) for number in "12"]
    assert [game.outcome.termination for game in games] == ["goal", "aborted"]
    assert [len(game.shots) for game in games] == [1, 0]
    assert verify(path).problems == ()


def test_a_server_ends_whatever_holds_its_ledger_up(tmp_path: Path) -> None:
    """A server that is stopped while a game cannot be kept, because another judge holds the lock or
    a disk hangs, says so and ends all the same; the next one records the game as aborted."""
    with running(tmp_path, "bsp") as server:
        a, b = server.seated()
        begun_by_now(tmp_path / "bsp.ledger.json", 1)
        with locked(tmp_path / "bsp.ledger.json"):
            a.say("SURRENDER\n")
            server.process.terminate()
            assert b.rest() == "END_GAME SURRENDER A\n"
            out, errors = server.process.communicate(timeout=PATIENCE)
        assert (server.process.returncode, errors) == (0, "")
        assert "1 game could not be kept in time; the next server records" in out
    with running(tmp_path, "bsp") as server:
        assert "1 game was not over" in server.said


def test_few_descriptors(tmp_path: Path) -> None:
    """Under ulimit -n 64 new clients are refused at some point, and a game goes on to its end, and
    into the ledger."""
    with running(tmp_path, "bsp", files=64) as server:
        a, b = server.seated()
        others = [server.connect() for _ in range(80)]
        assert others[-1].rest() == ""
        a.say("SURRENDER\n")
        assert b.rest() == "END_GAME SURRENDER A\n"
        server.process.terminate()
        _, errors = server.process.communicate(timeout=PATIENCE)
        assert "takes 32 clients, not 200" in errors
    assert game_in(tmp_path / "bsp.ledger.json").outcome.termination == "resigned"


def test_events_as_json(tmp_path: Path) -> None:
    """With --log-format json every line is a valid event."""
    with running(tmp_path, "bsp", "--log-format", "json", "--no-ledger") as server:
        a, b = server.seated()
        a.say("FOO\nSURRENDER\n")
        assert b.rest() == "END_GAME SURRENDER A\n"
        server.process.terminate()
        out, _ = server.process.communicate(timeout=PATIENCE)
    events = [json.loads(line) for line in (server.said + out).splitlines()]
    for event in events:
        assert schemas.problem("serve-event", event) is None
    assert [event["event"] for event in events] == [
        *("listening", "joined", "joined", "began", "ended", "stopping")
    ]
    assert not list(tmp_path.glob("*.json*"))


BOARDS = ["AAAAABBBB.CCCDDDEE" + "." * 82, "." * 80 + "AAAAABBBB.CCCDDDEE.."]
SAID = {"bsp": ["JOIN ann", "SHOT\x07"], "xbs": [f"J|ann|{BOARDS[0]}", "P|\x07"]}
TOLD = {
    "bsp": ["JOINED_MATCHMAKING", "BAD_REQUEST"],
    "xbs": ["G|2.0.1|Battleships|N|2|9|0", "J|ann", "P|\x07"],
}


@pytest.mark.parametrize(
    ("game", "where", "form"),  # each two of them in every way
    [
        ("bsp", "x.log", "text"),
        ("bsp", "-", "json"),
        ("xbs", "x.log", "json"),
        ("xbs", "-", "text"),
    ],
)
def test_messages_are_logged_line_by_line(game: str, where: str, form: str, tmp_path: Path) -> None:
    """The lines that a client of either game says and is told, in whichever pieces they come: added
    to a file, or among the events, in the form of these."""
    words = (game, "--log-format", form, "--no-ledger", "--log", where)
    printed = ""
    for _ in range(2):  # the second one adds to the file of the first one
        with running(tmp_path, *words) as server:
            ann = server.connect()
            ann.say("\n".join(SAID[game]))
            ann.say("\n")
            ann.until(TOLD[game][-1])
            server.process.terminate()
            out, errors = server.process.communicate(timeout=PATIENCE)
            printed += server.said + out
            assert (server.process.returncode, errors) == (0, "")
    text = printed if where == "-" else (tmp_path / where).read_text()
    assert ("JOIN ann" in printed or "J|ann" in printed) == (where == "-")
    said, told = [], []
    for line in text.splitlines():
        if form == "json":
            event = json.loads(line)
            assert schemas.problem("serve-event", event) is None
            kinds = {"received": said, "sent": told}
            kinds.get(event["event"], []).append(event.get("message"))
            continue
        day = "" if where == "-" else r"\d{4}-\d\d-\d\d "
        begin = rf"{day}\d\d:\d\d:\d\d 127\.0\.0\.1:\d+ (said|was told): "
        if found := re.match(begin, line):
            (said if found[1] == "said" else told).append(line[found.end() :])
    shown = str if form == "json" else lambda one: one.replace("\x07", "\\x07")
    assert said == [*map(shown, SAID[game])] * 2
    begun = [wanted for wanted in TOLD[game] if any(one.startswith(shown(wanted)) for one in told)]
    assert begun == TOLD[game]


def judged(folder: Path, *arguments: str) -> tuple[int, str]:
    done = judge_at(folder, *arguments)
    return done.returncode, done.stderr


def test_what_cannot_be_served(tmp_path: Path) -> None:
    """A port that is taken, a host that does not exist, a ledger of other conditions: a sentence
    each."""
    with running(tmp_path, "bsp") as server:
        port = str(server.port)
        status, said = judged(tmp_path, "serve", "bsp", "--port", port, "--no-ledger")
        taken = f"judge: port {port} of 127.0.0.1 cannot be served: Address already in use"
        assert (status, said) == (2, f"{taken}; --port names another.\n")
        status, said = judged(tmp_path, "serve", "bsp", "--port", "0")
        assert (status, "is kept by another server" in said) == (2, True)
    status, said = judged(tmp_path, "serve", "bsp", "--host", "no such host.invalid")
    assert (status, said[:34]) == (2, "judge: --host 'no such host.invali")
    status, said = judged(tmp_path, "serve", "bsp", "--host", ".example")
    assert (status, said) == (2, "judge: --host '.example': not the name of a host.\n")


def test_who_listens_to_all_is_told(tmp_path: Path) -> None:
    """On loopback nothing is said; elsewhere, that others may come and nothing is secret."""
    with running(tmp_path, "bsp", "--host", "0.0.0.0") as server:
        server.process.terminate()
        _, errors = server.process.communicate(timeout=PATIENCE)
        assert "is open to other machines" in errors
        assert "is not encrypted" in errors


def test_a_host_types_at_an_xbs_table(tmp_path: Path) -> None:
    """Lines on stdin are the host's commands; the server ends with its game, with status 0, and the
    game is in the ledger."""
    with running(tmp_path, "xbs", "--title", "Pond", "--goal", "1", listen=True) as server:
        process = server.process
        assert process.stdin
        players = []
        for name, board in zip(("ann", "bob"), BOARDS, strict=True):
            player = server.connect()
            assert (
                player.line() == "G|2.0.1|Pond|N|2|9|" + f"{len(players)}|1|10|10|5|A5|B4|C3|D3|E2"
            )
            player.say(f"J|{name}|{board}\n")
            player.until(f"J|{name}")
            players.append(player)
        process.stdin.write("R\nS\n")
        process.stdin.flush()
        lines = players[0].until("N|")
        process.stdin.write("K the host is in a hurry\n" * 3)
        process.stdin.flush()
        others = [players[0].line() for _ in range(4)]
        assert others[0::2] == [f"K|{one}|the host is in a hurry" for one in _names(lines, others)]
        process.stdin.write("Q\n")
        process.stdin.flush()
        assert "F|aborted|2|2\n" in players[1].rest()
        out, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert errors.startswith("judge: clients of release 1.2 refuse a --goal other than 17")
        assert "Players Joined : 2 (Not Started)" in out
    assert verify(tmp_path / "xbs.ledger.json").problems == ()
    assert [one.what for one in game_in(tmp_path / "xbs.ledger.json").incidents] == 3 * ["skip"]


def test_a_host_lets_a_program_in_that_was_started_again(tmp_path: Path) -> None:
    """The example client comes back without its board: at an address that it shares it is refused
    and ends, and once the host has let it in, another start plays the game to its end."""
    client = [str(ROOT / "bots" / "xbs-hunt" / "bot.py"), "-n", "ann", "-h", "127.0.0.1", "-p"]
    table = ["xbs", "--max", "2", "--auto-start", "--goal", "1"]
    with running(tmp_path, *table, listen=True) as server:
        process = server.process
        assert process.stdin
        bob = server.connect()
        bob.say(f"J|bob|{BOARDS[0]}\n")
        bob.until("J|bob")
        with example(*client, str(server.port)) as ann:
            bob.until("N|bob")
            ann.kill()
            bob.until("B|ann|disconnected|")
        with example(*client, str(server.port)) as ann:
            said, _ = ann.communicate(timeout=PATIENCE)
            assert said == "E|the host is asked to let ann in; your number is 1\n"
        process.stdin.write("let ann in\n")
        process.stdin.flush()
        while "the next client that says" not in line_of(process):
            pass
        with example(*client, str(server.port)) as ann:
            bob.until("M||ann reconnected")
            line = "N|bob"
            while not line.startswith("F|"):
                if line == "N|bob":
                    bob.say("K\n")
                line = bob.line()
            said, _ = ann.communicate(timeout=PATIENCE)
        assert said.startswith("F|finished|")


def _hosted(terminal: Terminal) -> list[Peer]:
    """Ann and bob in the lobby of a table that is hosted at a terminal."""
    found = re.search(r"serving XBS at .*:(\d+);", terminal.shows("serving XBS at"))
    assert found
    players = []
    for name, board in zip(("ann", "bob"), BOARDS, strict=True):
        player = Peer(int(found[1]))
        player.say(f"J|{name}|{board}\n")
        player.until(f"J|{name}")
        players.append(player)
    return players


HOSTED = [*JUDGE, "serve", "xbs", "--title", "Pond", "--port", "0", "--no-ledger"]


def test_a_host_types_at_a_terminal(tmp_path: Path) -> None:
    """The table stands above the lines, which leave what the host types alone. The host is asked
    before a game is begun or quit, and the server ends with status 0; its lines stay to be read."""
    with Terminal(HOSTED, tmp_path, columns=120) as terminal:
        players = _hosted(terminal)
        terminal.shows("? or help lists the host's commands")
        size = "Pond: 10×10, A5 B4 C3 D3 E2, 17 points, 2 to 9 players"
        terminal.shows(size, "  2: bob  127.0.0.1")
        assert terminal.lines[0] == size
        terminal.types("S\r")
        terminal.until(lambda: terminal.text.count("start the game? (y/N)") == 2)  # also to type at
        terminal.types("y\r")
        players[1].until("N|")
        terminal.types("M half a ")
        players[0].say("M||hello\n")
        terminal.shows("ann: hello", "M half a")
        assert terminal.lines[-1] == "M half a"
        terminal.types("line\rK\r")
        players[1].until("M||half a line")
        terminal.shows("give a reason: K REASON", "points   turns   skips     hit")
        terminal.types("Q\r")
        terminal.shows("quit the game? (y/N)")
        terminal.types("y\r")
        assert "F|aborted|0|2\n" in players[1].rest()
        assert terminal.ends() == 0
        assert terminal.is_as_before()
        terminal.shows("game 1 is over: Unfinished")
        for player in players:
            player.close()


def test_a_host_reads_notes_on_the_screen(tmp_path: Path) -> None:
    """The lines that the judge would print on stderr while the screen is there stand among its
    lines."""
    with socket.create_server(("127.0.0.9", 0)) as one:
        port = one.getsockname()[1]
    command = [*JUDGE, "serve", "xbs", "--no-ledger", "--host", "127.0.0.9", "--port", str(port)]
    with Terminal(command, tmp_path, columns=120) as terminal:
        terminal.shows(f"published clients and bots refuse port {port}", "Players Joined : 0")
        assert terminal.is_broken_off() == 0
        assert terminal.is_as_before()


def test_a_host_without_a_screen(tmp_path: Path) -> None:
    """With --plain the terminal has lines alone, and Ctrl-C ends the server."""
    with Terminal([*HOSTED, "--plain"], tmp_path, columns=120) as terminal:
        players = _hosted(terminal)
        terminal.types("help\r", "R\r")
        terminal.shows("?, help         show these commands", "  2: bob  127.0.0.1")
        assert terminal.is_broken_off() == 0
        assert b"\x1b[?1049h" not in terminal.output
        for player in players:
            player.close()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--goal", "5"], "clients of release 1.2 refuse a --goal other than 17, all squares of"),
        (
            ["--port", "40123", "--host", "127.0.0.8"],
            "published clients and bots refuse port 40123",
        ),
    ],
)
def test_what_published_clients_refuse_is_said(tmp_path: Path, typed: list[str], said: str) -> None:
    """The host learns it at the start, not when nobody can join, and once for all addresses."""
    command = [*JUDGE, "serve", "xbs", "--no-ledger", "--host", "127.0.0.9", "--port", "0", *typed]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert b"serving XBS at 127.0.0.9:" in process.stdout.readline()
    process.terminate()
    assert process.communicate(timeout=PATIENCE)[1].count(said.encode()) == 1


def test_the_page_names_an_address_that_others_reach(tmp_path: Path) -> None:
    """The address that only this machine reaches may come first."""
    addresses = ["--host", "127.0.0.9", "--host", "::", "--port", "0", "--web", "0"]
    process = subprocess.Popen(
        [*JUDGE, "serve", "xbs", "--no-ledger", *addresses],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    page = process.stdout.readline().decode().split()[-1]
    assert b"serving XBS at 127.0.0.9:" in process.stdout.readline()
    with urlopen(f"{page}events", timeout=PATIENCE) as events:
        assert events.readline() == b"event: state\n"
        state = json.loads(events.readline().removeprefix(b"data: "))
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert state["door"]["host"] is None  # the page puts the name of its own address there


def _names(begin: Sequence[str], after: Sequence[str]) -> list[str]:
    """Who was to move at first, and after that."""
    return [begin[-1][2:], after[1][2:]]


def test_a_board_that_is_not_square(tmp_path: Path) -> None:
    """It is served, with a word on who refuses it; the end of stdin ends nothing."""
    with running(tmp_path, "xbs", "--width", "12", "--no-ledger") as server:
        assert "|9|0|17|12|10|5|" in server.connect().line()
        server.process.terminate()
        _, errors = server.process.communicate(timeout=PATIENCE)
        assert "programs of release 2.0 refuse a board that is not square" in errors
        assert server.process.returncode == 0


def test_bots_at_a_table(tmp_path: Path) -> None:
    """Bots of the host's play with whoever comes, in isolation as anywhere; the record says which
    they were, and the server ends with the game."""
    bots = ["--bot", "xbs-hunt", "--bot", "rows=hunt@open-lines"]
    table = ["xbs", "--max", "3", "--auto-start", "--goal", "3", "--isolation", "none"]
    with running(tmp_path, *table, *bots) as server:
        ann = server.connect()
        assert ann.line().startswith("G|2.0.1|Battleships|N|2|3|2|3|")
        ann.say(f"J|ann|{BOARDS[0]}\n")
        assert ann.until("J|rows")[-3:] == ["J|ann", "J|xbs-hunt", "J|rows"]
        late = server.connect()
        assert late.rest().count("\n") == 1
        lines = ann.until("S|")
        assert sorted(lines[-1].split("|")[1:]) == ["ann", "rows", "xbs-hunt"]
        while not lines[-1].startswith("F|"):
            if lines[-1] == "N|ann":
                ann.say("K\n")
            lines.append(ann.line())
        assert lines[-1].startswith("F|finished|")
        assert ann.rest().count("R|") == 3
        assert server.process.wait(PATIENCE) == 0
    path = tmp_path / "xbs.ledger.json"
    assert verify(path).problems == ()
    seats = {seat.name: seat for seat in game_in(path).seats}
    assert [seats[name].wire for name in ("ann", "xbs-hunt", "rows")] == [None, "xbs", "open-lines"]
    assert seats["xbs-hunt"].digest


def test_a_server_whose_bot_thinks_is_stopped(tmp_path: Path) -> None:
    """Nobody waits for a bot: the game is recorded as aborted, and the server ends."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(1000)\n")
    table = ["xbs", "--max", "2", "--auto-start", "--isolation", "none"]
    with running(tmp_path, *table, "--bot", "slow.py") as server:
        ann = server.connect()
        ann.say(f"J|ann|{BOARDS[0]}\n")
        ann.until("J|slow")
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
    game = game_in(tmp_path / "xbs.ledger.json")
    assert (game.outcome.termination, len(game.shots)) == ("aborted", 0)


def test_a_bot_that_fails_at_a_table(tmp_path: Path) -> None:
    """It loses by its own fault, with evidence, as in a fight; the others are told how it ended."""
    (tmp_path / "broken.py").write_text("import sys\nsys.exit('no')\n")
    table = ["xbs", "--max", "2", "--auto-start", "--isolation", "none"]
    with running(tmp_path, *table, "--bot", "broken.py") as server:
        ann = server.connect()
        ann.say(f"J|ann|{BOARDS[0]}\n")
        assert "F|finished|0|1\nR|ann|0|0|0|\n" in ann.rest()
        assert server.process.wait(PATIENCE) == 0
    game = game_in(tmp_path / "xbs.ledger.json")
    assert game.outcome.termination == "crash"
    assert [one.stderr for one in game.evidence] == ["no\n"]
