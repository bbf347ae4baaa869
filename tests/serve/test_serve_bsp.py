"""The BSP server on real sockets: whole games to the byte, the queue, limits, the ledger."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from halls import BSP_FLEET, dealt, matchmaking, two
from judge.contest.ledger.ledger import read as read_ledger
from judge.contest.ledger.verify import verify
from judge.contest.ledger_games import game as game_in
from judge.documents.game import Termination
from judge.errors import LedgerError, UsageError
from judge.game.variants import BSP
from judge.serve.bsp import Matchmaking, dealer
from judge.serve.core import MOST_BAD_LINES
from judge.serve.ledger_store import NEW_NAME_SECONDS, NEW_NAMES, LedgerStore
from judge.serve.rate_limits import ClientBounds
from judge.wire.bsp.notation import fleet_text
from serving import Client, Serving, do_anything, ends_of, later, played, run
from strategies import examples
from transcripts import BSP_GAMES as GAMES
from transcripts import read

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("pieces", ["whole", "bytes", "joined"])
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_at_the_server(name: str, pieces: str) -> None:
    """Clients are sent these lines and no others, in whichever pieces they send theirs; and then
    the stream ends."""
    transcript = read(name)
    rounds = int(transcript.setup.get("rounds", 300))
    draw = dealt(int(transcript.setup["first"]), rounds=rounds)

    async def play() -> None:
        async with Serving(matchmaking(draw, rounds)) as serving:

            def host(word: str) -> Coroutine[None, None, None] | None:
                return later(31) if word == "timeout" else serving.server.stop()

            await played(serving, transcript, pieces, host)

    run(play())


def test_a_game_is_kept_before_it_is_told(tmp_path: Path) -> None:
    """When the end is told the game is in the ledger, with its shots, and the ledger is sound."""
    path = tmp_path / "bsp.ledger.json"

    async def play() -> None:
        async with Serving(matchmaking(), store=LedgerStore(path)) as serving:
            a, b = await two(serving)
            await a.say("SHOT A1\n")
            await b.say("FOO\n")
            assert await b.lines(3) == ["HIT A1", "TURN B", "BAD_REQUEST"]
            await b.say("SURRENDER\n")
            assert (await b.line()) == "END_GAME SURRENDER B"
            game = game_in(path)
            assert game.outcome.termination is Termination.RESIGNED
            assert [seat.name for seat in game.seats] == ["ann", "bob"]
            assert (len(game.shots), game.number, game.rated) == (1, 1, True)
            assert [seat.fleet for seat in game.seats] == [BSP_FLEET, BSP_FLEET]
            assert game.started < game.finished
            assert await a.rest() == "HIT A1\nTURN B\nEND_GAME SURRENDER B\n"

    run(play())
    assert verify(path).problems == ()
    assert read_ledger(path).table.points_of("ann") > 10


@pytest.mark.parametrize(
    ("second", "name"),
    [
        ("JOIN", "guest-1"),
        ("JOIN ann", "guest-1"),
        ("JOIN guest-9", "guest-1"),
        ("JOIN Guest", "guest-1"),
        ("JOIN bob", "bob"),
    ],
)
def test_guests_are_not_rated(tmp_path: Path, second: str, name: str) -> None:
    """Who has no name, or one that somebody has or a guest could have, is a guest."""
    path = tmp_path / "x.json"

    async def both() -> None:
        async with Serving(matchmaking(), store=LedgerStore(path)) as serving:
            a, b = await serving.connect(), await serving.connect()
            await a.say("JOIN ann\n")
            await a.line()
            await b.say(f"{second}\n")
            await b.lines(3)
            await b.say("SURRENDER\n")
            assert await b.rest() == "END_GAME SURRENDER B\n"

    run(both())
    game = game_in(path)
    assert [seat.name for seat in game.seats] == ["ann", name]
    assert game.rated == (name == "bob")


def test_one_address_brings_so_many_names(tmp_path: Path) -> None:
    """However many it gives, the ledger gets a bounded number of new names from it, and one more
    after a while; who gives another is a guest, and known names stay."""

    async def name_of(serving: Serving, name: str, opponent: str) -> str:
        """Under which a client plays that joins so."""
        clients = [await serving.connect(), await serving.connect()]
        for client, wanted in zip(clients, (name, opponent), strict=True):
            await client.say(f"JOIN {wanted}\n")
            await client.line()
        hall = serving.hall
        assert isinstance(hall, Matchmaking)
        (names,) = (room.names for room in hall.rooms)
        await clients[1].say("SURRENDER\n")
        for client in clients:
            assert (await client.rest()).endswith("END_GAME SURRENDER B\n")
        await serving.until(lambda: not hall.rooms)
        return names[0]

    async def play() -> None:
        async with Serving(matchmaking(), store=LedgerStore(tmp_path / "x.json")) as serving:
            for number in range(0, NEW_NAMES, 2):
                await name_of(serving, f"a{number}", f"a{number + 1}")
            assert await name_of(serving, "ann", "a1") == "guest-1"
            assert await name_of(serving, "a2", "a1") == "a2"
            await later(NEW_NAME_SECONDS + 1)
            assert await name_of(serving, "ann", "a1") == "ann"
            assert await name_of(serving, "bob", "a1") == "guest-1"

    run(play())


def test_pairs_are_made_in_the_order_of_coming() -> None:
    """Any number of games goes on at once; who has nobody to play with waits."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            clients = []
            for _ in range(41):
                clients.append(await serving.connect())
                await clients[-1].say("JOIN\n")
                assert await clients[-1].line() == "JOINED_MATCHMAKING"
            for number, client in enumerate(clients[:40]):
                assert (await client.line())[:12] == f"START_GAME {'AB'[number % 2]}"
                assert await client.line() == "TURN A"
            await clients[0].say("SHOT J2\n")
            assert await clients[1].lines(2) == ["MISS J2", "TURN B"]
            await clients[38].say("SHOT J3\n")
            assert await clients[39].lines(2) == ["MISS J3", "TURN B"]
            late = await serving.connect()
            await late.say("JOIN\n")
            assert (await late.lines(2))[1].startswith("START_GAME B ")
            assert (await clients[40].line()).startswith("START_GAME A ")

    run(play())


@pytest.mark.parametrize("how", ["end", "close", "reset", "SURRENDER"])
def test_who_is_gone_from_the_queue_plays_no_game(how: str) -> None:
    """A client that leaves while it waits is noticed at once, however it leaves."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            gone = await serving.connect()
            await gone.say("JOIN gone\n")
            await gone.line()
            if how == "SURRENDER":
                await gone.say("SURRENDER\n")
            else:
                getattr(gone, how)()
            await serving.until(lambda: any("gone left" in line for line in serving.said.lines))
            await two(serving)

    run(play())


def test_limits_of_time() -> None:
    """Who does not join within five seconds is closed; a turn takes 30 seconds at most, which
    neither bad requests nor what the other says prolong."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            silent = await serving.connect()
            await silent.say("JOI")
            await serving.until(lambda: len(serving.core.clients) == 1)
            await later(4.9)
            a, b = await two(serving)
            await later(0.2)
            assert await silent.rest() == ""
            for _ in range(29):
                await later(1)
                await a.say("FOO\n")
                await b.say("FOO\nSHOT A1\n")
                assert await a.line() == await b.line() == "BAD_REQUEST"
            await later(0.9)
            assert await a.rest() == await b.rest() == "END_GAME TIMEOUT A\n"

    run(play())


def test_who_talks_nonsense_without_end_is_dropped() -> None:
    """After hundreds of bad requests a client has left its game, and its opponent has won."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            a, b = await two(serving)
            await b.say("FOO\n" * (MOST_BAD_LINES + 1))
            assert await a.rest() == "END_GAME DISCONNECTION B\n"

    run(play())


def test_bounds_on_clients() -> None:
    """New clients beyond the bound in all, or the bound for one address, are closed without a word,
    and a place that gets free is free."""

    async def play() -> None:
        for bounds in (ClientBounds(clients=2), ClientBounds(clients=9, per_address=2)):
            async with Serving(matchmaking(), bounds=bounds) as serving:
                a, b = await two(serving)
                assert await (await serving.connect()).rest() == ""
                await a.say("SHOT A1\n")
                assert await b.line() == "HIT A1"
                a.close()
                await serving.until(lambda: len(serving.core.clients) < 2)
                again = await serving.connect()
                await again.say("JOIN\n")
                assert await again.line() == "JOINED_MATCHMAKING"

    run(play())


@pytest.mark.parametrize("kind", ["link", "name", "fifo"])
def test_the_lock_of_a_server_is_a_file_of_its_own(tmp_path: Path, kind: str) -> None:
    """Whatever lies there in a stranger's folder is left alone, and a sentence says so."""
    other, lock = tmp_path / "other", tmp_path / ".x.json.server.lock"
    other.write_text("precious")
    match kind:
        case "link":
            lock.symlink_to(other)
        case "name":
            lock.hardlink_to(other)
        case "fifo":
            os.mkfifo(lock)

    async def play() -> None:
        async with Serving(matchmaking(), store=LedgerStore(tmp_path / "x.json")):
            pass

    with pytest.raises(LedgerError, match=r"symbolic link|more than one name|not an ordinary file"):
        run(play())
    assert other.read_text() == "precious"


def test_what_clients_say_is_clean_in_the_log() -> None:
    """Nothing that a terminal would obey comes from a client into the log."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            client = await serving.connect()
            await client.say(b"JOIN \x1b]0;owned\x07\x9b31m\n")
            assert await client.rest() == ""
            await serving.until(lambda: any("says JOIN first" in one for one in serving.said.lines))
            assert all(one.isprintable() for one in serving.said.lines)

    run(play())


def test_no_two_servers_keep_one_ledger(tmp_path: Path) -> None:
    """The games of a server that runs would look like those of one that was killed, also where the
    ledger is named by a link to it."""
    path, link = tmp_path / "x.json", tmp_path / "link.json"
    link.symlink_to(path)

    async def play() -> None:
        async with Serving(matchmaking(), store=LedgerStore(path)):
            for same in (path, link):
                with pytest.raises(UsageError, match="kept by another server"):
                    async with Serving(matchmaking(), store=LedgerStore(same)):
                        pass

    run(play())


def test_a_server_that_is_stopped_tells_its_tables(tmp_path: Path) -> None:
    """Games that are broken off are recorded as aborted, with the shots so far, for nobody."""
    path = tmp_path / "x.json"

    async def play() -> None:
        async with Serving(matchmaking(), store=LedgerStore(path)) as serving:
            a, b = await two(serving)
            waiting = await serving.connect()
            await waiting.say("JOIN\n")
            await waiting.line()
            await a.say("SHOT A1\n")
            await b.lines(2)
            serving.server.stop()
            assert await b.rest() == "END_GAME ABORTED A\n"
            assert await waiting.rest() == ""

    run(play())
    game = game_in(path)
    assert (game.outcome.termination, len(game.shots)) == (Termination.ABORTED, 1)
    assert read_ledger(path).table.games == 0
    assert verify(path).problems == ()


def test_games_with_a_seed_are_the_same_again() -> None:
    """The seed says all fleets and who begins; without one, no two games are alike."""
    rules = BSP

    def drawn(seed: int | None) -> list[tuple[int | None, int]]:
        draw = dealer(seed, rules)
        return [(setup.seed, setup.first) for setup in (draw() for _ in range(20))]

    assert drawn(5) == drawn(5) != drawn(6)
    draw = dealer(None, rules)
    assert len({fleet_text(fleet) for _ in range(9) for fleet in draw().fleets.values()}) == 18


# Whatever clients do

WORDS = st.sampled_from(
    [
        "JOIN\n",
        "JOIN x\n",
        "SHOT A1\n",
        "SHOT J10\n",
        "SHO",
        "T B2\n",
        "SURRENDER\n",
        "FOO\n",
        "\n",
        "\x00\n",
        "SHOT K1\n",
        "x" * 1500,
        "JOIN\nSHOT A1\nSHOT A2\n",
    ]
)
STEPS = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from([*["say"] * 9, *["join"] * 3, "up", "up", "end", "reset", "connect"]),
        WORDS,
    ),
    min_size=10,
    max_size=40,
)
ANSWERS = re.compile(
    r"(JOINED_MATCHMAKING\n)?"
    r"(START_GAME [AB] \{[^}\n]*\}\n(TURN [AB]\n|HIT [A-J]\d+( SUNK)?\n|MISS [A-J]\d+\n)*"
    r"(END_GAME (WINNER|SURRENDER|DISCONNECTION|TIMEOUT|ABORTED) [AB]\n)?)?"
)


async def driven(steps) -> tuple[list[str], list[str]]:
    """The messages that were sent over each connection, and the server's words about it; four begin
    in a game."""
    async with Serving(matchmaking()) as serving:
        hall = serving.hall
        assert isinstance(hall, Matchmaking)

        async def join(now: list[Client]) -> None:
            """Have someone new join, and wait until the server knows of it."""
            now[0] = await serving.connect()
            await now[0].say("JOIN\n")
            await serving.read(now[0])
            now.append(now.pop(0))

        async def up(now: list[Client]) -> None:
            """Have whoever is up in each game shoot at a cell that nobody has shot at."""
            for room in list(hall.rooms):
                for seat in room.match.awaited:
                    shot = len(room.match.game.shots) // 2
                    for client in now:
                        if client.port == room.players[seat].client.port:
                            await client.say(f"SHOT {'ABCDEFGHIJ'[shot // 10]}{shot % 10 + 1}\n")

        steps = [*[(0, "join", "")] * 4, *steps]
        every = await do_anything(serving, 6, steps, {"join": join, "up": up})
        late = await serving.connect()  # the server does not stall
        await late.say("JOIN\n")
        assert await late.line() == "JOINED_MATCHMAKING"
        serving.server.stop()
        return await ends_of(every), serving.said.lines


def test_clients_may_do_anything() -> None:
    """Whatever clients do at whatever moment: each is sent what the protocol has for one game and
    no more, the server goes on, and nothing that it did is an error. In each example two games
    begin at least, and many end before the server does."""
    total: Counter[str] = Counter()
    happened = {"begun": " begins: ", "over": " is over: ", "aborted": "not played to its end"}

    @given(STEPS)
    @examples(40)
    def anything(steps) -> None:
        streams, said = run(driven(steps))
        for stream in streams:
            text = stream.replace("BAD_REQUEST\n", "")
            assert ANSWERS.fullmatch(text), stream
            for one in re.findall(r"START_GAME [AB] \{([^}]*)\}", text):
                assert one == fleet_text(BSP_FLEET)
            total["answered"] += bool(re.search(r"^(HIT|MISS)", text, re.MULTILINE))
        for what, words in happened.items():
            count = sum(words in line for line in said)
            event(f"{what}: {min(count, 3)}")
            total[what] += count
        total["servers"] += 1

    anything()
    assert total["begun"] >= 2 * total["servers"], total
    assert total["over"] == total["begun"], total
    assert total["over"] - total["aborted"] >= total["servers"] / 2, total
    assert total["answered"] >= total["servers"] / 2, total
