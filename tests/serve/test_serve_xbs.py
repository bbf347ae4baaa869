"""The XBS table on real sockets: whole games to the byte, coming and going, the host, the
ledger."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from changes import replace
from halls import BOARDS, SMALL, joined, playing, small, table, table_in
from judge.contest.ledger.ledger import read as read_ledger
from judge.contest.ledger.verify import verify
from judge.contest.ledger_games import game as game_in
from judge.contest.ledger_games import game as game_of
from judge.documents.game import GameRecord, Incident
from judge.serve.ledger_store import LedgerStore
from judge.serve.xbs import XbsTable
from judge.serve.xbs_places import MOST_TAUNTS, Options, TablePlace
from judge.show.moves import incident_text
from judge.wire.xbs.notation import LETTERS
from serving import Client, More, Serving, do_anything, ends_of, later, played, run
from strategies import examples
from transcripts import XBS_GAMES, read

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("pieces", ["whole", "bytes", "joined"])
@pytest.mark.parametrize("name", XBS_GAMES)
def test_a_whole_game_at_the_table(name: str, pieces: str) -> None:
    """Clients are sent these lines and no others, in whichever pieces they send theirs; and then
    the stream ends."""
    transcript = read(name)
    rules = transcript.xbs_rules
    most = int(transcript.setup["most"])
    letters = LETTERS[: len(rules.lengths)]
    options = Options(
        title="Pond",
        rules=rules,
        letters=letters,
        most=most,
        auto_start=True,
        from_anywhere=True,
        dialect=transcript.setup.get("dialect", "2.0"),
    )
    order = transcript.setup.get("order", "").split()

    async def play() -> None:
        async with Serving(table(options, *order)) as serving:
            hall = serving.hall
            assert isinstance(hall, XbsTable)

            def host(said: str) -> None:
                word, _, text = said.partition(" ")
                match word:
                    case "skip":
                        hall.skip(text)
                    case "say":
                        hall.say(text)
                    case "abort":
                        serving.server.stop()

            await played(serving, transcript, pieces, host)

    run(play())


def test_who_is_gone_is_skipped_after_the_grace(tmp_path: Path) -> None:
    """Its turn waits for it, and is skipped then each time round; it may come back any time; and
    the record has all of that."""

    async def play() -> None:
        hall = table(small(), "ann", "bob")
        async with Serving(hall, store=LedgerStore(path)) as serving:
            ann, bob = await playing(serving, "ann", "bob")
            ann.close()
            assert await bob.line() == f"B|ann|disconnected|{'.' * 64}|0|0"
            await later(59)
            await bob.say("S|ann|1|1\n")
            assert await bob.line() == "M||it is not your turn!"
            await later(2)
            assert await bob.lines(2) == ["K|ann|gone", "N|bob"]
            await bob.say("S|ann|1|1\n")
            assert (await bob.lines(5))[3:] == ["N|ann", "K|ann|gone"]
            assert await bob.line() == "N|bob"
            again = await serving.connect()
            assert (await again.line()).startswith("G|2.0.1|Pond|Y|")
            await again.say(f"J|ann|{BOARDS[0]}\n")
            assert (await again.line(), (await again.line())[:2]) == ("J|ann", "Y|")
            assert (await again.lines(4))[2:] == ["S|ann|bob", "N|bob"]
            assert (await again.lines(2))[1] == "M||ann reconnected"
            assert await bob.lines(2) == [f"B|ann||X{'.' * 63}|0|2", "M||ann reconnected"]
            said = [line for line in serving.said.lines if "skipped" in line]
            assert [line[9:] for line in said] == ["the turns of ann are skipped while it is gone"]
            table_in(serving).boot(table_in(serving).places[0])
            serving.server.stop()

    path = tmp_path / "x.json"
    run(play())
    incidents = [(one.at, one.seat, one.what) for one in game_in(path).incidents]
    assert incidents == [
        (0, 0, "away"),
        (0, 0, "skip"),
        (1, 0, "skip"),
        (1, 0, "back"),
        (1, 0, "boot"),
    ]
    assert verify(path).problems == ()
    pages = [incident_text(one.what) for one in game_in(path).incidents]
    assert pages[0] == "is gone, and its turn waits"


@pytest.mark.parametrize("grace", [60.0, None])
def test_a_game_that_all_have_left(tmp_path: Path, grace: float | None) -> None:
    """It is aborted when all have been gone for the grace, and counts for nobody; without a grace
    it waits for the host."""
    path = tmp_path / "xbs.ledger.json"

    async def play() -> None:
        hall = table(small(grace=grace), "ann", "bob")
        async with Serving(hall, store=LedgerStore(path)) as serving:
            ann, bob = await playing(serving, "ann", "bob")
            ann.close()
            await bob.line()
            await later(30)
            bob.close()
            await serving.until(lambda: not serving.core.clients)
            await later(50)
            assert table_in(serving).match
            await later(20)
            if grace is None:
                assert table_in(serving).match
                serving.server.stop()
            await serving.until(lambda: table_in(serving).match is None)

    run(play())
    assert game_in(path).outcome.termination == "aborted"


def test_games_go_into_the_ledger(tmp_path: Path) -> None:
    """Games of two and of more are rated; all of them are sound, and the lobby opens again as often
    as it is asked to."""
    path = tmp_path / "xbs.ledger.json"
    rules = replace(SMALL, points=1)

    async def play(names: Sequence[str], games: int) -> None:
        options = replace(small(len(names), repeat=games), rules=rules)
        async with Serving(table(options, *names), store=LedgerStore(path)) as serving:
            for _ in range(games):
                clients = await joined(serving, *names)
                for seat, client in enumerate(clients):
                    while await client.line() != f"N|{names[seat]}":
                        pass
                    await client.say("K\n" if seat else f"S|{names[1]}|1|2\n")
                for client in clients:
                    assert f"F|finished|1|{len(names)}\nR|ann|1|0|1|\n" in await client.rest()

    run(play(["ann", "bob"], 2))
    run(play(["ann", "bob", "cat"], 1))
    assert verify(path).problems == ()
    tally = read_ledger(path)
    assert (tally.recorded, tally.table.games) == (3, 3)
    games = [game_of(path, str(number)) for number in (1, 2, 3)]
    assert [len(game.seats) for game in games] == [2, 2, 3]
    assert [game.outcome.termination for game in games] == ["goal"] * 3
    assert [incident.what for incident in games[2].incidents] == ["skip", "skip"]


@pytest.mark.parametrize(
    ("options", "joined", "said"),
    [
        (Options(), 0, "0 of at most 9 players. 2 more, and the host may begin."),
        (Options(), 1, "1 of at most 9 players. 1 more, and the host may begin."),
        (Options(), 2, "2 of at most 9 players. The host begins the game."),
        (Options(), 9, "9 of 9 players. The host begins the game."),
        (Options(auto_start=True, least=3, most=3), 1, "1 of 3 players. 2 more, and it begins."),
        (Options(auto_start=True, least=3, most=3), 3, "3 of 3 players. It begins."),
    ],
)
def test_the_lobby_says_who_is_missing(options: Options, joined: int, said: str) -> None:
    """How many are there, how many it still takes, and who begins the game then."""
    assert options.missing(joined) == said


def test_taunts_are_bounded() -> None:
    """A bounded number of taunts is kept, however many a client adds."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            (ann,) = await joined(serving, "ann")
            await ann.say("T|hit|ha\n" * 200 + "P|done\n")
            assert await ann.line() == "P|done"
            assert len(table_in(serving).places[0].taunts[True]) == MOST_TAUNTS

    run(play())


def test_nothing_is_kept_of_who_has_left() -> None:
    """A player that leaves the lobby takes its taunts along: otherwise one that came and went
    would fill the memory."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            for number in range(5):
                (one,) = await joined(serving, f"eve{number}")
                await one.say("T|hit|ha\nL|bye\n")
                await one.rest()
            gc.collect()
            places = [one for one in gc.get_objects() if isinstance(one, TablePlace)]
            assert not [one for one in places if one.name.startswith("eve")]

    run(play())


WORDS = st.sampled_from(
    [
        f"J|ann|{BOARDS[0]}\n",
        f"J|bob|{BOARDS[1]}\n",
        f"J|cat|{BOARDS[1]}\n",
        "J|ann\nS|bob|1|1\n",
        "J|bob\n",
        "J||\nJ|x|..\n",
        "S|ann|1|1\n",
        "S|bob|2|",
        "3\n",
        "S|cat|9|9\nK\n",
        "K|tired\n",
        "M||hello\n",
        "M|ann|psst\n",
        "T|hit|ouch\nT|miss|ha\n",
        "P|ping\nG\n",
        "L|bye\n",
        "\n\x00|\n",
        "x" * 5000,
        "|||\n",
    ]
)
STEPS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from(
            [
                *["say", "up", "up"] * 5,
                "end",
                "reset",
                *["connect", "wait", "skip", "back", "swap", "gather"] * 2,
            ]
        ),
        WORDS,
    ),
    min_size=10,
    max_size=50,
)
LINE = re.compile(
    r"G\|2\.0\.1\|Pond\|[NY]\|2\|3\|[0-3]\|1\|8\|8\|2\|A3\|B2|J\|(ann|bob|cat)|E\|[a-z ]+"
    r"|L\|(ann|bob|cat)\|[a-z ]*|[BNKHRM]\|.*|S\|(ann|bob|cat)(\|(ann|bob|cat))+|Y\|[ABX.0]{64}"
    r"|F\|(finished|aborted)\|\d+\|[23]|P\|ping|protocol error|invalid board|game is full"
    r"|game is already started|booted|bye|game aborted"
)


async def anything_at_a_table(steps) -> tuple[list[str], list[str]]:
    """The messages that were sent over each connection, and the server's words about it; all begin
    in a game."""
    rules = replace(SMALL, points=1)
    options = replace(small(3, from_anywhere=True, repeat=None), rules=rules)
    async with Serving(table(options)) as serving:
        hall = table_in(serving)

        async def skip(_: list[Client]) -> None:
            hall.skip("asleep")

        async def gather(now: list[Client]) -> None:
            """Have everyone join who is missing."""
            there = {place.name: place.client for place in hall.places}
            for number, name in enumerate(("ann", "bob", "cat")):
                if there.get(name) is None:
                    now[number] = await serving.connect()
                    await now[number].say(f"J|{name}|{BOARDS[number % 2]}\n")
                    await serving.read(now[number])

        async def back(now: list[Client]) -> None:
            for place in [one for one in hall.places if one.client is None][:1]:
                now[4] = await serving.connect()
                await now[4].say(f"J|{place.name}\n")

        async def swap(now: list[Client]) -> None:
            """Have a player leave, and come back over another connection."""
            for place in [one for one in hall.places if one.client][:1]:
                for client in [one for one in now if one.port == place.client.port]:
                    client.end()
                    await serving.until(
                        lambda place=place: place.client is None or place not in hall.places
                    )
                await back(now)

        async def up(now: list[Client]) -> None:
            """Have whoever is up shoot at the one who comes next."""
            if hall.match is None or not hall.match.awaited:
                return
            place, other = (hall.places[(hall.match.awaited[0] + i) % 3] for i in (0, 1))
            for client in now:
                if place.client and place.client.port == client.port:
                    shot = len(hall.match.game.shots) // 3
                    await client.say(f"S|{other.name}|{shot % 8 + 1}|{shot // 8 % 8 + 1}\n")

        more: More = {
            "wait": lambda _: later(20),
            "skip": skip,
            "up": up,
            "back": back,
            "swap": swap,
            "gather": gather,
        }
        steps = [(0, "gather", ""), *steps]
        every = await do_anything(serving, 5, steps, more)
        late = await serving.connect()  # the server does not stall
        assert (await late.line()).startswith("G|2.0.1|Pond|")
        serving.server.stop()
        return await ends_of(every), serving.said.lines


def check_what_one_was_sent(lines: list[str]) -> None:
    """They are lines that clients know, of players that it has been told of."""
    assert all(map(LINE.fullmatch, lines)), lines
    mine = next((line[2:] for line in lines if line.startswith("J|")), None)
    told = {line[2:] for line in lines if line.startswith("J|")}
    for line in lines:
        if line.startswith(("B|", "N|", "H|", "R|", "K|")):
            assert line.split("|")[1] in told, (line, lines)
        if "psst" in line:
            assert mine == "ann"


def test_players_may_do_anything() -> None:
    """Whatever clients do at whatever moment: each is sent lines that clients know, its own name
    first, private words only where they are meant to go, and the table goes on. In each example
    a game begins; in many a player leaves it, comes back, and it is played to its end."""
    total: Counter[str] = Counter()
    happened = {"begun": " begins: ", "ended": " is over: ", "left": " left", "rejoined": " again"}

    @given(STEPS)
    @examples(40)
    def anything(steps) -> None:
        streams, said = run(anything_at_a_table(steps))
        for stream in streams:
            check_what_one_was_sent(stream.splitlines())
        for what, words in happened.items():
            count = sum(words in line for line in said)
            event(f"{what}: {min(count, 3)}")
            total[what] += count
        total["finished"] += sum(
            "not played to its end" not in line for line in said if " is over: " in line
        )
        total["tables"] += 1

    anything()
    assert total["begun"] >= total["tables"], total
    assert total["ended"] == total["begun"], total
    assert min(total[what] for what in ("finished", "left", "rejoined")) >= total["tables"] / 20, (
        total
    )


class TooLong(LedgerStore):
    """Is given a first game of more incidents than a journal holds."""

    kept = 0

    async def keep(self, record: GameRecord) -> GameRecord | None:
        self.kept += 1
        if self.kept == 1:
            record = replace(record, incidents=(Incident(0, 0, "away"),) * 100_001)
        return await super().keep(record)


def test_a_game_that_cannot_be_recorded_costs_no_other(tmp_path: Path) -> None:
    """One beyond the bounds of a journal is kept as broken off, with the reason, and the server
    goes on and keeps others."""
    path = tmp_path / "l.json"

    async def play() -> None:
        rules = replace(SMALL, points=1)
        options = replace(small(repeat=2), rules=rules)
        async with Serving(table(options, "ann", "bob"), store=TooLong(path)) as serving:
            for _ in range(2):
                ann, bob = await playing(serving, "ann", "bob")
                await ann.say("S|bob|1|2\n")
                assert (await bob.lines(4))[-1] == "N|bob"
                await bob.say("K\n")
                assert "F|finished|1|2" in await ann.rest()
                bob.close()

    run(play())
    first, second = (game_of(path, number).outcome for number in "12")
    assert first.termination == "aborted"
    assert "cannot be recorded" in first.detail
    assert second.termination == "goal"
