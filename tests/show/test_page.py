"""The page of a game, as text and in a real browser: what it shows is what happened."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from playwright.sync_api import Page, expect

from browser import Browse, accessibility, in_both_schemes
from changes import replace
from games import ATTACK, played, strange_texts, void, with_evidence
from judge.documents.codec import builtins
from judge.documents.game import Exchange, GameRecord, Result, Termination
from judge.documents.rules import Cell, Repeat, Rules, Ship, Sinking, Turn
from judge.game.events import Shot, Target
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.steps import steps
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.recorded_move import RecordedMove
from judge.play.recorded_move import moves as played_moves
from judge.show import board
from judge.show.moves import incident_text
from judge.show.pages.page import page
from judge.wire.brainjar import Brainjar, fleet_reply
from strategies import examples

NAMES = (f"{ATTACK}\u202eevil", "שלום 🚢 مرحبا")
LONG = 64 * 1024


def of_bots(record: GameRecord) -> GameRecord:
    """The same game between players that have files."""
    seats = tuple(replace(seat, digest=f"sha256:{64 * 'a'}") for seat in record.seats)
    return replace(record, seats=seats)


def spoken(record: GameRecord, dialect: str) -> GameRecord:
    """The same game in another dialect."""
    return replace(record, seats=tuple(replace(seat, dialect=dialect) for seat in record.seats))


GAMES = {
    "played out": of_bots(played(seed=3)),
    "the other first": played(seed=4, first=1),
    "a forfeit": played(seed=6, forfeit=(1, Termination.CRASH), stderr="Traceback\n  boom\n"),
    "a forfeit at once": played(seed=7, forfeit=(0, Termination.TIMEOUT), after=0),
    "no fleet": played(seed=8, forfeit=(0, Termination.ILLEGAL_FLEET), stdout='{"2":1}'),
    "no fleets": void(),
    **{
        name: played(rules, seed=9, names=tuple(f"bot {n}" for n in range(rules.players[0])))
        for name, rules in VARIANTS.items()
        if name != "brainjar"
    },
    "four at a large board": played(
        replace(VARIANTS["xbs"], columns=22, rows=11, points=6), seed=10, names=tuple("abcd")
    ),
}


@pytest.mark.parametrize(
    ("variant", "columns", "rows", "form"),
    [
        ("xbs", "abcdefghij", "12345678910", r"[a-j]\d+"),
        ("bsp", "12345678910", "ABCDEFGHIJ", r"[A-J]\d+"),
        ("contest", "0123456789", "0123456789", r"\[\d, \d\]"),
    ],
)
def test_cells_are_called_as_the_players_of_the_game_do(
    browse: Browse, variant: str, columns: str, rows: str, form: str
) -> None:
    """On the rulers, in the list of moves, and for a reader without scripts."""
    record = GAMES[variant]
    shown = browse(page(record), name="called.html").page
    rulers = [
        "".join(texts(shown, f".side:first-child .board {axis}"))
        for axis in ("thead th", "tbody th")
    ]
    assert rulers == [columns, rows]
    first = record.shots[0].cell
    names = {
        "xbs": f"{columns[first.column]}{first.row + 1}",
        "bsp": f"{rows[first.row]}{first.column + 1}",
        "contest": f"[{first.row}, {first.column}]",
    }
    moves = texts(shown, "#moves tbody tr td:nth-child(3)")
    assert moves[0] == names[variant]
    assert all(re.fullmatch(form, cell) for cell in moves)
    assert names[variant] in page(record).split("<noscript>", 1)[-1]


def longest() -> GameRecord:
    """A game in which both miss all that there is to miss, and the loser all but one hit."""
    record = played(seed=1)
    fleets = [seat.fleet for seat in record.seats]
    game = Game(BRAINJAR, 2, first=1)
    for seat, fleet in enumerate(fleets):
        game.place(seat, fleet or ())
    ships = [[cell for ship in fleet or () for cell in ship.cells] for fleet in fleets]
    water = [
        [cell for cell in (Cell(c, r) for c in range(8) for r in range(8)) if cell not in taken]
        for taken in ships
    ]
    shots = {0: [*ships[1][:-1], *water[1]], 1: [*water[0], *ships[0]]}
    while game.to_move:
        (seat,) = game.to_move
        game.shoot(seat, [Target(1 - seat, shots[seat].pop(0))])
    assert game.outcome
    return replace(
        record,
        shots=tuple(shot.recorded(1234.56) for shot in game.shots),
        outcome=game.outcome,
        first=1,
        seats=tuple(replace(seat, name=60 * "ä") for seat in record.seats),
    )


# As text


def test_the_longest_game_is_within_its_size() -> None:
    """A page stays under 150 KB, whatever happens in a game of the default rules."""
    record = longest()
    assert len(record.shots) == 127
    assert len(page(record).encode()) <= 150_000


@pytest.mark.parametrize(
    ("spoken", "shown"),
    [
        ([(None, None), (None, None)], ["readme", "readme"]),
        ([(None, None), ("brainjar", "engine")], ["engine", "engine"]),
        ([("open", "lines"), ("brainjar", "readme")], [None, "readme"]),
    ],
)
def test_what_went_in_is_shown_in_the_seats_own_dialect(
    spoken: list[tuple[str | None, str | None]], shown: list[str | None]
) -> None:
    """A person is shown what a bot would have been told; of another protocol nothing is shown."""
    record = played(seed=3)
    seats = tuple(
        replace(seat, wire=wire, dialect=dialect)
        for seat, (wire, dialect) in zip(record.seats, spoken, strict=True)
    )
    derived = re.search(r'id="derived"[^>]*>(.*?)</script>', page(replace(record, seats=seats)))
    assert derived is not None
    assert json.loads(derived[1])["dialects"] == shown


@examples(30)
@given(strange_texts(), strange_texts(), strange_texts())
def test_a_page_holds_the_record_as_it_is(name: str, stdout: str, stderr: str) -> None:
    """A page embeds the record to the last character, whatever bots put into it."""
    record = played(
        names=(name or "x", ATTACK),
        forfeit=(0, Termination.BAD_OUTPUT),
        stdout=stdout,
        stderr=stderr,
        detail=stderr,
    )
    html = page(record)
    assert html.encode()
    (found,) = re.findall(r'<script type="application/json" id="record">(.*?)</script>', html)
    assert json.loads(found) == builtins(record)


def test_a_page_leads_back_to_where_it_is_told() -> None:
    """A page of a site has a link to the others, and one that stands alone has none."""
    assert 'href="../index.html"' in page(GAMES["played out"], root="../")
    assert "all games" not in page(GAMES["played out"])


# In a browser: what it shows


def at(page: Page, step: int) -> None:
    page.evaluate(f"location.hash = '#move={step}'")
    expect(page.locator("#step")).to_have_text(re.compile(f"^(Move|Round) {step} of"))


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


def walked(page: Page, steps: Sequence[int], look: str, more: Any = None) -> list[Any]:
    """The values that a function in the page returns after each of these steps."""
    return page.evaluate(
        f"""([steps, more]) => steps.map(step => {{
            const scrub = document.getElementById("scrub");
            scrub.value = step;
            scrub.dispatchEvent(new Event("input"));
            return ({look})(more);
        }})""",
        [list(steps), more],
    )


VARIED = {
    "readme": BRAINJAR,
    "engine": BRAINJAR,
    "a shot each": replace(BRAINJAR, name="single", turn=Turn.SINGLE),
    "all at once": replace(BRAINJAR, name="both", turn=Turn.BOTH, repeat=Repeat.SAID_SO),
    "sinkings not told": replace(BRAINJAR, name="silent", sinking=Sinking.NOTHING),
    "ten by ten": replace(BRAINJAR, name="ten", columns=10, rows=10, fleet=(5, 2, 4, 3)),
}


@pytest.mark.parametrize(("name", "rules"), VARIED.items(), ids=VARIED)
def test_what_went_in_is_what_the_wire_sends(name: str, rules: Rules, browse: Browse) -> None:
    """The page shows byte for byte what the wire told the bot at every move, and its reply; one
    game is looked through move by move, the others by every fifth."""
    dialect = name if name == "engine" else "readme"
    record = spoken(of_bots(played(rules, seed=11)), dialect)
    fired = [len(game.shots) for game in replay(record)]
    chosen = range(0, len(fired), 1 if name == "readme" else 5)
    placing, *steps = walked(
        browse(page(record)).page,
        chosen,
        """() => [...document.querySelectorAll("#runs .run")].map(run =>
            [".in", ".out", ".again", ".time"].map(part => run.querySelector(part).textContent))""",
    )
    for seat, (told, said, again, _) in enumerate(placing):
        fleet = tuple(sorted(record.seats[seat].fleet or (), key=length))
        assert told == '{"cmd":"init"}'
        assert said == json.dumps(fleet_reply(fleet), separators=(",", ":"))
        assert again == f"judge replay page.html --move {'AB'[seat]}"
    moves = list(played_moves(record))
    assert len(moves) == fired[-1]
    for step, runs in zip(chosen[1:], steps, strict=True):
        played_here = moves[fired[step - 1] : fired[step]]
        for (told, said, again, time), one in zip(runs, played_here, strict=True):
            (shot,) = one.volley
            assert told == sent(record, one)
            assert said == f'{{"move":"{shot.cell.column}{shot.cell.row}"}}'
            side = "AB"[one.seat] if rules.turn is Turn.BOTH else ""
            assert again == f"judge replay page.html --move {one.number}{side}"
            assert float(time.split()[0]) == pytest.approx(one.ms, abs=0.06)
            assert time.endswith(" ms of 2,000 ms")


def sent(record: GameRecord, one: RecordedMove) -> str:
    wire = Brainjar(record.rules, one.seat, record.seats[one.seat].dialect or "")
    wire.send(one.question)
    return wire.data_to_send().decode()


def length(ship: Ship) -> int:
    return ship.length


@pytest.mark.parametrize("record", GAMES.values(), ids=GAMES)
def test_every_step_and_every_row_is_what_happened(record: GameRecord, browse: Browse) -> None:
    """After each step every cell is what the engine and the terminal's boards say it is, and the list
    of moves has a row for all that happened. One game is looked through step by step, in fog and in
    the other games by every eighth."""
    tab = browse(page(record)).page
    assert_moves_are_listed(record, tab)
    games = [
        (tuple(game.shots), game.view(0).shots, [game.fleet(n) for n in range(game.players)])
        for game in replay(record)
    ]
    for foggy in (False, True):
        every = 8 if foggy or record is not GAMES["played out"] else 1
        chosen = [*range(0, len(games) - 1, every), len(games) - 1]
        for step, boards in zip(chosen, walked(tab, chosen, SEEN, len(record.seats)), strict=True):
            shots, heard, fleets = games[step]
            for seat, fleet in enumerate(fleets):
                if foggy or fleet is None:
                    marks = board.fog([shot for shot in heard if shot.target == seat])
                else:
                    marks = board.truth(fleet, [shot for shot in shots if shot.target == seat])
                wanted = {cell: MARKS.get(mark, "s") for cell, mark in marks.items()}
                assert {Cell(c, r): mark for c, r, mark in boards[seat]} == wanted
        tab.keyboard.press("f")


MARKS = {board.MISS: "m", board.HIT: "h", board.SUNK: "x"}
SEEN = """players => [...Array(players).keys()].map(seat =>
    [...document.querySelectorAll(".board")[seat].tBodies[0].rows].flatMap((row, r) =>
        [...row.cells].slice(1).flatMap((cell, c) => {
            const mark = ["x", "h", "m", "s"].find(style => cell.classList.contains(style));
            return mark ? [[c, r, mark]] : [];
        })))"""
"""In the page: the known cells of every board, each with the most that is known of it."""


def test_the_last_shot_and_the_counts_follow_the_step(browse: Browse) -> None:
    """At each step the cell just shot at is marked, and under each board the shots at it, hits,
    misses and ships count up."""
    record = GAMES["played out"]
    tab = browse(page(record)).page
    for step in (0, 1, 2, len(record.shots) // 2, len(record.shots)):
        at(tab, step)
        shots = record.shots[:step]
        last = tab.locator("td.last")
        assert last.count() == (step > 0)
        if shots:
            place = last.evaluate("cell => [cell.cellIndex - 1, cell.parentNode.rowIndex - 1]")
            assert tuple(place) == shots[-1].cell
        for seat in (0, 1):
            at_it = [shot.is_hit for shot in shots if shot.target == seat]
            counted = re.findall(r"\d+", texts(tab, f".count[data-seat='{seat}']")[0])
            assert list(map(int, counted)) == [len(at_it), sum(at_it), len(at_it) - sum(at_it)]
            fleet = record.seats[seat].fleet
            assert fleet
            afloat = board.afloat(fleet, [shot for shot in shots if shot.target == seat])
            assert tab.locator(f".tally[data-seat='{seat}'] li:not(.sunk)").count() == len(afloat)


def test_a_volley_is_one_step_with_its_shots_numbered(browse: Browse) -> None:
    """Each of its cells has its place in the volley, on the board and in the list below the
    sentence, and turns are counted as volleys and as shots."""
    record = GAMES["broadsides"]
    tab = browse(page(record)).page
    at(tab, 6)
    six = [step for step, _ in steps(record)][6]
    shots = record.shots[six.begin : six.fired]
    assert len(shots) == 6
    places = tab.locator("td.last").evaluate_all(
        "cells => cells.map(cell => [+cell.querySelector('i').textContent, cell.cellIndex - 1, "
        "cell.parentNode.rowIndex - 1])"
    )
    assert sorted(places) == [
        [place, shot.cell.column, shot.cell.row] for place, shot in enumerate(shots, 1)
    ]
    expect(tab.locator("#now")).to_contain_text(f"bot {shots[0].seat} fires 6 shots: ")
    said = [
        f"{'ABCDEFGHIJ'[shot.cell.column]}{shot.cell.row + 1} {'hit' if shot.is_hit else 'miss'}"
        for shot in shots
    ]
    assert texts(tab, "#volley li") == said
    assert texts(tab, ".side:first-child thead th") == [*"ABCDEFGHIJ"]
    assert texts(tab, ".side:first-child tbody th") == [str(row) for row in range(1, 11)]
    expect(tab.locator("#said")).to_have_text(
        f"Move 6 of {len(list(steps(record))) - 1}: bot {shots[0].seat} fires 6 shots: {'; '.join(said)}"
    )
    for seat in (0, 1):
        assert texts(tab, f".count[data-seat='{seat}']")[0].startswith(
            "Received 3 volleys, 18 shots: "
        )
    expect(tab.locator("tr.current")).to_have_count(1)
    tab.keyboard.press("End")
    expect(tab.locator("#step")).to_contain_text("Move ")
    tab.keyboard.press("Home")
    expect(tab.locator("#volley")).to_be_hidden()


def test_a_round_is_one_step(browse: Browse) -> None:
    """A step is a round if both shoot at once, and both of its cells are marked."""
    tab = browse(page(GAMES["contest"])).page
    at(tab, 5)
    expect(tab.locator("#step")).to_contain_text("Round 5 of")
    assert tab.locator("td.last").count() == 2
    assert tab.locator("td.last i").count() == 0
    assert tab.locator("tr.current").count() == 2


def assert_moves_are_listed(record: GameRecord, tab: Page) -> None:
    """The list of moves has every volley with the cells of its shots in their order, what they did
    and how long the player took, and all else that happened, at the step that it was."""
    rows = tab.locator("#moves tbody tr").evaluate_all(
        """rows => rows.map(row => [...row.cells].map(cell =>
            [...cell.querySelectorAll("b")].map(one => one.firstChild.data).join(" ") || cell.textContent))"""
    )
    rulers = board.Rulers.of_players(record.rules)
    wanted = []
    for number, (step, game) in enumerate(steps(record)):
        wanted += [
            (str(number), record.seats[incident.seat].name, "", incident_text(incident.what))
            for incident in step.incidents
        ]
        for volley in step.volleys:
            shots = game.shots[volley.begin : volley.end]
            cells = " ".join(rulers.cell(one.cell) for one in shots)
            wanted.append((str(number), record.seats[volley.seat].name, cells, did(shots)))
    many = len(record.seats) > 2
    assert [(row[0], row[1], row[2 + many], row[3 + many]) for row in rows] == wanted
    times = [float(row[-1] or 0) for row in rows if row[2 + many]]
    firsts = [record.shots[one.begin].ms for step, _ in steps(record) for one in step.volleys]
    assert times == pytest.approx(firsts, abs=0.051)


def did(shots: Sequence[Shot]) -> str:
    """The effect of a volley, in the words of the list of moves."""
    if len(shots) == 1:
        (shot,) = shots
        return {
            Result.REPEAT: "wasted, shot at before",
            Result.MISS: "miss",
            Result.HIT: "hit",
            Result.SUNK: f"hit, sinks the {shot.sunk}",
        }[shot.result]
    hits = sum(one.is_hit for one in shots)
    misses = sum(one.result is Result.MISS for one in shots)
    wasted = len(shots) - hits - misses
    sunk = [f"the {one.sunk}" for one in shots if one.sunk]
    counts = [(hits, "hit" if hits == 1 else "hits"), (misses, "miss" if misses == 1 else "misses")]
    said = [f"{count} {what}" for count, what in [*counts, (wasted, "wasted")] if count]
    return ", ".join([*said, *([f"sinks {' and '.join(sunk)}"] if sunk else [])])


def test_before_the_script_runs_it_shows_the_end(browse: Browse) -> None:
    """Without scripts, the page is the sheet of the game as it ended: its boards and all shots in
    their order, as text, with nothing to press and nothing empty."""
    record = GAMES["a forfeit"]
    scripted = browse(page(record), name="one.html").page
    plain = browse(page(record), name="two.html", java_script_enabled=False).page
    *_, game = replay(record)
    assert texts(plain, ".plain") == [board.position(game, [seat.name for seat in record.seats])]
    shown = plain.locator("main").inner_text()
    for number, seat in enumerate(record.seats):
        shots = [one for one in record.shots if one.seat == number]
        cells = (
            board.cell_name(shot.cell, record.rules) + "#×"[shot.result is Result.HIT] * shot.is_hit
            for shot in shots
        )
        assert f"{seat.name} shot at {' '.join(cells)}." in shown
    assert texts(plain, ".count") == texts(scripted, ".count")
    for part in (".moves", ".legend"):
        expect(plain.locator(part)).to_be_hidden()
        expect(scripted.locator(part)).to_be_visible()
    expect(plain.locator(".controls")).to_be_hidden()
    expect(plain.locator(".now")).to_be_hidden()
    expect(plain.locator("noscript")).to_be_visible()
    assert "boom" in plain.locator(".ending").inner_text()


# In a browser: moving about


@pytest.fixture
def tab(browse: Browse) -> Page:
    """A game of some fifty moves."""
    return browse(page(GAMES["played out"])).page


LAST = len(GAMES["played out"].shots)


def stands_at(page: Page, step: int) -> None:
    expect(page.locator("#where")).to_have_text(f"{step} / {LAST}")
    expect(page.locator("#scrub")).to_have_value(str(step))
    assert page.locator("tr.current").count() == (step > 0)
    if step:
        assert page.locator("tr.current a").get_attribute("href") == f"#move={step}"


def test_keys_step_through_it(tab: Page) -> None:
    """Who opens a page sees the result first. Arrows go a move on and back, Home and End to the ends,
    and not beyond. Alt and an arrow is for the browser, and a list that is open keeps its keys."""
    stands_at(tab, LAST)
    assert "#" not in tab.url
    for key, step in (
        ("ArrowRight", LAST),
        ("ArrowLeft", LAST - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("End", LAST),
    ):
        tab.keyboard.press(key)
        stands_at(tab, step)
        assert tab.url.endswith(f"#move={step}")
    at(tab, 5)
    tab.keyboard.press("Control+ArrowRight")
    stands_at(tab, 5)
    tab.locator("#speed").focus()
    tab.keyboard.press("End")
    stands_at(tab, 5)


def test_buttons_step_through_it(tab: Page) -> None:
    """The buttons do what the keys do, and the space bar presses the one that has the focus."""
    for name, step in (
        ("To the start", 0),
        ("A move on", 1),
        ("A move on", 2),
        ("A move back", 1),
        ("To the end", LAST),
    ):
        tab.get_by_role("button", name=name).click()
        stands_at(tab, step)
    tab.get_by_role("button", name="A move back").focus()
    tab.keyboard.press(" ")
    stands_at(tab, LAST - 1)


def test_the_scrubber_goes_anywhere(tab: Page) -> None:
    """The slider, the strip above it and the list of moves lead to a move, and so does an address
    that changes."""
    tab.evaluate("location.hash = '#move=9'")
    stands_at(tab, 9)
    tab.evaluate("location.hash = '#main'")
    stands_at(tab, 9)
    tab.locator("#scrub").fill("7")
    stands_at(tab, 7)
    tab.locator("#scrub").focus()
    tab.keyboard.press("ArrowRight")
    stands_at(tab, 8)
    box = tab.locator(".lanes").bounding_box()
    assert box
    tab.mouse.click(box["x"] + box["width"] * 20 / LAST, box["y"] + 5)
    stands_at(tab, 20)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] + 50, box["y"] + 5)
    tab.mouse.up()
    stands_at(tab, LAST)
    tab.locator("#moves a[href='#move=3']").click()
    stands_at(tab, 3)


def test_every_kind_of_shot_is_marked_on_the_strip(tab: Page) -> None:
    """The strip has each player's misses, hits and sinkings where they happened."""
    for seat, lane in enumerate(tab.locator(".lanes svg").all()):
        shots = GAMES["played out"].shots
        for kind, name in (("m", "MISS"), ("h", "HIT"), ("x", "SUNK")):
            steps = [
                number
                for number, shot in enumerate(shots, 1)
                if shot.seat == seat and shot.result.name == name
            ]
            drawn = lane.locator(f"path.{kind}").get_attribute("d") or ""
            assert [int(x) for x in re.findall(r"M(\d+) ", drawn)] == steps


@pytest.mark.parametrize(
    ("fragment", "step"),
    [
        ("#move=5", 5),
        ("#move=0", 0),
        (f"#move={LAST + 100}", LAST),
        ("#move=-1", LAST),
        ("#move=5x", LAST),
    ],
)
def test_a_link_leads_to_its_move(fragment: str, step: int, browse: Browse) -> None:
    """A page opens at the move that its address names, and at the end if it names none."""
    stands_at(browse(page(GAMES["played out"]), fragment).page, step)


def test_it_plays_by_itself(browse: Browse) -> None:
    """Play runs to the end and stops there; space pauses; stepping by hand stops it."""
    tab = browse(page(GAMES["a forfeit"])).page
    steps = len(GAMES["a forfeit"].shots) + 1
    tab.locator("#speed").select_option("50")
    play = tab.locator("[data-go=play]")
    expect(play).to_have_attribute("aria-label", "Play")
    play.click()
    expect(play).to_have_attribute("aria-label", "Play")  # it has come to the end
    expect(tab.locator("#where")).to_have_text(f"{steps} / {steps}")
    tab.locator("h1").click()
    tab.locator("#speed").select_option("1000")
    tab.keyboard.press("Home")
    tab.locator("h1").click()
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press(" ")
    expect(play).to_have_attribute("aria-label", "Pause")
    expect(tab.locator("#where")).to_have_text(f"1 / {steps}")
    tab.keyboard.press(" ")
    expect(play).to_have_attribute("aria-label", "Play")
    tab.keyboard.press(" ")
    tab.keyboard.press("Home")
    expect(play).to_have_attribute("aria-label", "Play")
    expect(tab.locator("#where")).to_have_text(f"0 / {steps}")


def test_each_side_has_its_own_fog(tab: Page) -> None:
    """A box hides one fleet; the key hides both, and shows both again."""
    at(tab, 0)
    ships = [tab.locator(".board").nth(seat).locator("td.s") for seat in (0, 1)]
    boxes = [tab.locator(f"[data-fog='{seat}']") for seat in (0, 1)]
    assert [one.count() for one in ships] == [14, 14]
    boxes[0].check()
    assert [one.count() for one in ships] == [0, 14]
    tab.keyboard.press("f")
    assert [one.count() for one in ships] == [0, 0]
    expect(boxes[1]).to_be_checked()
    tab.keyboard.press("F")
    assert [one.count() for one in ships] == [14, 14]
    expect(boxes[0]).not_to_be_checked()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("my 'best';touch game.html", "'my '\\''best'\\'';touch game.html'"),
        ("-x.html", "./-x.html"),
        ("it's\u202e!\x1b[.html", r"$'it\047s\342\200\256\041\033[.html'"),
    ],
)
def test_the_command_names_the_file_as_it_is_called(name: str, word: str, browse: Browse) -> None:
    """The command that runs a move again can be copied into a shell, whatever the page's file is
    called."""
    tab = browse(page(GAMES["played out"]), "#move=2", name=name).page
    assert texts(tab, "#runs .again") == [f"judge replay {word} --move 2"]


def test_a_person_is_not_run_again(browse: Browse) -> None:
    """It shows what a bot would have been told, and no command, if a player is not a program."""
    record = GAMES["the other first"]
    tab = browse(page(record), "#move=2").page
    assert texts(tab, "#runs h4") == ["A bot would have been told", "Came out"]
    assert texts(tab, "#runs .again") == []


def test_of_a_program_that_stays_alive_the_last_exchanges_are_shown(browse: Browse) -> None:
    """It got no argument: what went in is what it was told last, and the time is that of its last
    answer. It may have run on. The exchanges before that stand below."""
    record = played(VARIANTS["broadsides"], seed=9, forfeit=(1, Termination.BAD_OUTPUT))
    (evidence,) = record.evidence
    lives = replace(evidence, exit=None, exchanges=(
        Exchange("INFO <i>\nACTION SHIPS", "SHIPS", 1500.0),
        Exchange("ACTION SHOTS 6", "", 3.0),
    ))  # fmt: skip
    tab = browse(page(with_evidence(record, lives))).page
    assert texts(tab, "#runs .in") == ["ACTION SHOTS 6"]
    assert "It was still running; the game was lost by this run." in texts(tab, "#runs .note")[0]
    assert texts(tab, "#runs .time span:last-child") == ["3 ms of 2,000 ms"]
    assert texts(tab, "#moves tr[data-seat] td.n") == ["3.0"]
    assert texts(tab, ".exchanges tbody td") == [
        "INFO <i>\nACTION SHIPS", "SHIPS", "1500", "ACTION SHOTS 6", "(nothing)", "3.0",
    ]  # fmt: skip
    assert "still running after " in texts(tab, "#ending .note")[0]


def test_any_program_that_keeps_no_state_can_be_run_again(browse: Browse) -> None:
    """The command stands there whatever protocol it speaks, but not where a player lives through
    the whole game."""
    record = of_bots(played(VARIANTS["broadsides"], seed=9))
    wires = ("open-lines", "broadsides")
    seats = tuple(
        replace(seat, wire=wire, dialect=None)
        for seat, wire in zip(record.seats, wires, strict=True)
    )
    tab = browse(page(replace(record, seats=seats)), "#move=1").page
    assert texts(tab, "#runs .again") == ["judge replay page.html --move 1"]
    at(tab, 2)
    assert texts(tab, "#runs .again") == []


# In a browser: strangers' texts


def attacked() -> GameRecord:
    return played(
        names=NAMES,
        forfeit=(0, Termination.BAD_OUTPUT),
        detail=f"replied `{ATTACK}` 🚢 \u202e",
        stdout=f"{ATTACK}\n🚢 שלום \u202e\x00\x1b[31m{'o' * LONG}\nthe end of stdout",
        stderr=f"{ATTACK}\n" + "".join(f"line {n} \udcff مرحبا\n" for n in range(LONG // 16)),
    )


def test_what_went_into_a_run_and_how_it_ended_are_text(browse: Browse) -> None:
    """Characters without a shape, and those that turn the direction of writing, are escapes in all
    that is said of a run."""
    record = attacked()
    evidence = replace(
        record.evidence[0], argv=("x", "in\u202e\u3164\U000e0041"), signal="SIG\u202e", exit=None
    )
    tab = browse(page(with_evidence(record, evidence))).page
    at(tab, len(record.shots) + 1)
    assert "in\\u202e\\u3164\\U000e0041" in tab.locator("#runs .in").inner_text()
    assert "Ended by SIG\\u202e;" in tab.locator("#runs .note").inner_text()
    empty = browse(page(with_evidence(record, replace(evidence, argv=()))))
    at(empty.page, len(record.shots) + 1)
    empty.assert_quiet()


def test_strangers_texts_are_shown_and_do_nothing(browse: Browse) -> None:
    """Names and output that try to be HTML, or to turn the direction of writing, are text."""
    record = attacked()
    watched = browse(page(record))
    tab = watched.page
    assert tab.locator("img").count() == 0
    assert tab.locator("script").count() == 3
    shown = tab.locator("main").inner_text()
    assert ATTACK in shown
    assert "\u202e" not in shown
    assert "\\u202e" in shown
    assert texts(tab, "#owner-1") == [NAMES[1]]
    assert ATTACK in tab.locator(".ending .detail").inner_text()
    for step in (0, 1, len(record.shots) + 1):
        at(tab, step)
    assert tab.locator("#runs .out").inner_text().startswith(ATTACK)
    watched.assert_quiet()


def test_a_long_output_is_cut_until_it_is_asked_for(browse: Browse) -> None:
    """The beginning and the end of 64 KB are shown; a button brings the rest."""
    record = attacked()
    tab = browse(page(record)).page
    stdout = tab.locator("pre[aria-label=stdout]")
    assert len(stdout.inner_text()) < 5000
    assert "the end of stdout" in tab.locator("pre[aria-label='the end of stdout']").inner_text()
    button = tab.get_by_role("button", name="Show all").first
    button.click()
    assert len(stdout.inner_text()) > LONG
    assert stdout.inner_text().endswith("the end of stdout")
    assert tab.get_by_role("button", name="Show all").count() == 1  # that of stderr


def test_nothing_is_wider_than_the_window(browse: Browse) -> None:
    """No page has to be scrolled sideways, with the longest names and the largest boards."""
    for name, record in {
        "strangers": attacked(),
        "longest": longest(),
        "a name without end": played(names=("w" * LONG, "x y " * 5000)),
        "broad": GAMES["four at a large board"],
    }.items():
        tab = browse(page(record), name=f"{name}.html").page
        for width in (360, 820, 1400):
            tab.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate("document.scrollingElement.scrollWidth") <= width, name


# In a browser: for everyone


def test_axe_finds_nothing(browse: Browse) -> None:
    """No page has a fault in accessibility that axe knows, in light or dark, wide or narrow."""
    for record, width, find in (
        (GAMES["played out"], 1400, in_both_schemes),
        (attacked(), 360, in_both_schemes),
        (GAMES["no fleets"], 820, accessibility),
    ):
        tab = browse(page(record)).page
        tab.set_viewport_size({"width": width, "height": 900})
        if width == 360:
            tab.keyboard.press("f")  # in the fog
        assert find(tab) == []


def test_axe_finds_nothing_in_larger_games(browse: Browse) -> None:
    """The same for a table of four and a board that fills the window, and for a volley."""
    for name in ("four at a large board", "broadsides"):
        tab = browse(page(GAMES[name]), "#move=9").page
        tab.set_viewport_size({"width": 360, "height": 740})
        assert accessibility(tab) == []


def test_a_screen_reader_is_told(tab: Page) -> None:
    """Boards are tables whose cells have headers and words, and each step is announced."""
    at(tab, 3)
    table = tab.get_by_role("table", name="The board of hunter")
    assert table.get_by_role("columnheader").count() == 8
    assert table.get_by_role("rowheader").count() == 8
    words = set(table.get_by_role("cell").all_text_contents())
    assert words <= {"", "ship", "hit", "miss", "sunk"}
    assert "ship" in words
    said = tab.get_by_role("status").text_content() or ""
    assert re.fullmatch(rf"Move 3 of {LAST}: (hunter|random) shoots \d\d: (hit|miss).*", said)
    value = tab.get_by_role("slider").get_attribute("aria-valuetext") or ""
    assert value.startswith(f"3 of {LAST}: ")
    assert tab.locator("[aria-current=step]").text_content() == "3"


def test_nothing_moves_for_who_asked_for_that(tab: Page) -> None:
    """Under prefers-reduced-motion nothing is animated; otherwise a shot is."""
    for preference, moves in (("reduce", False), ("no-preference", True)):
        tab.emulate_media(reduced_motion=preference)
        at(tab, 3)
        tab.keyboard.press("ArrowRight")
        name = tab.locator("td.last").evaluate(
            "cell => getComputedStyle(cell, '::after').animationName"
        )
        assert (name != "none") == moves


def test_shapes_differ_and_not_only_colours(tab: Page) -> None:
    """A miss, a hit, a ship and a sunk one differ in what is drawn, whatever their colours."""
    at(tab, LAST)

    def drawn(style: str) -> tuple[Any, ...]:
        return tuple(
            tab.locator(f".board {style}").first.evaluate(
                """cell => ["::before", "::after"].flatMap(part => {
                    const style = getComputedStyle(cell, part);
                    return [style.content !== "none", style.clipPath, style.borderRadius,
                            style.width === style.height && style.width];
                })"""
            )
        )

    styles = ("td.m", "td.h", "td.x", "td.s:not(.h, .x)", "td:not(.s, .m)")
    assert len({drawn(style) for style in styles}) == len(styles)


def test_it_prints(browse: Browse, tmp_path: Path) -> None:
    """On paper there is nothing to press, on white; all moves and the whole evidence are there."""
    tab = browse(page(GAMES["a forfeit"])).page
    tab.emulate_media(media="print", color_scheme="dark")
    for gone in (".controls", ".fog", ".skip"):
        expect(tab.locator(gone).first).to_be_hidden()
    assert tab.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    frame = tab.locator("#moves")
    assert frame.evaluate("frame => frame.scrollHeight - frame.clientHeight") <= 1
    path = tmp_path / "page.pdf"
    tab.pdf(path=path, format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))
    assert 1 <= pages <= 3
    tab.emulate_media(color_scheme="light")


@pytest.mark.parametrize(("players", "across"), [(3, 2), (6, 3)])
def test_many_boards_print_beside_each_other(browse: Browse, players: int, across: int) -> None:
    """On a sheet the boards of a game of several stand in rows, all of them on one page; nothing
    is wider than it."""
    names = tuple(f"player {number}" for number in range(players))
    tab = browse(page(played(VARIANTS["xbs"], seed=3, names=names))).page
    tab.set_viewport_size({"width": 718, "height": 1000})
    tab.emulate_media(media="print")
    boxes = [tab.locator(".side").nth(number).bounding_box() for number in range(players)]
    tops = [round(box["y"]) for box in boxes if box]
    assert len(tops) == players
    assert len(set(tops)) == -(-players // across)
    assert max(box["y"] + box["height"] for box in boxes if box) - min(tops) < 900
    assert tab.evaluate("document.documentElement.scrollWidth") == 718
