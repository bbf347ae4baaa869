"""captain's fleets, its volleys and its fronts, against slow and plain ways."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import placement
from bundled import BOTS
from commands import judge
from judge.contest.schedule import Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.game.variants import VARIANTS

FOLDER = BOTS / "captain"
SINKINGS = ("nothing", "sunk", "size", "ship")
USUAL = {"columns": 10, "rows": 10, "fleet": [5, 4, 3, 3, 2]}


@pytest.fixture(scope="module")
def strategy() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        import strategy  # type: ignore[import-not-found] # a file of the bot's folder

        yield strategy


Fleet = tuple[int, ...]


def small_rules(sinking: str) -> dict[str, Any]:
    return {"columns": 4, "rows": 4, "fleet": [3, 2, 1], "sinking": sinking}


def every_fleet(strategy: ModuleType, rules: dict[str, Any]) -> list[Fleet]:
    """All fleets of these rules, ships of one size in no order."""
    found = {()}
    for size in rules["fleet"]:
        found = {
            (*fleet, line)
            for fleet in found
            for line in strategy.lines_of(rules["columns"], rules["rows"], size)
            if not any(line & other for other in fleet)
        }
    return sorted({tuple(sorted(fleet)) for fleet in found})


def answers(strategy: ModuleType, fleet: Fleet, cells: list[int], sinking: str) -> list[Any]:
    """The answers of the rules to these shots: a result and what is told of the ship, for each."""
    shot, told = 0, []
    for cell in cells:
        shot |= 1 << cell
        line = next((line for line in fleet if line >> cell & 1), 0)
        if not line:
            told.append((1, None))
        elif line & ~shot or sinking == "nothing":
            told.append((3, None))
        else:
            ship = {"size": line.bit_count(), "ship": strategy.ship_of(line, 4)}.get(sinking)
            told.append((4, ship))
    return told


@pytest.mark.parametrize("sinking", SINKINGS)
def test_the_fleets_are_those_that_would_have_answered_alike(
    strategy: ModuleType, sinking: str
) -> None:
    """After any shots the listed fleets are all that explain the answers, and no others; and the
    chain's chances are near those of the list."""
    rules, luck = small_rules(sinking), random.Random(sinking)
    fleets = every_fleet(strategy, rules)
    for _ in range(8):
        true = luck.choice(fleets)
        cells = luck.sample(range(16), luck.randrange(11))
        told = answers(strategy, true, cells, sinking)
        alike = [one for one in fleets if answers(strategy, one, cells, sinking) == told]
        board = strategy.Board(rules)
        for cell, (result, ship) in zip(cells, told, strict=True):
            board.note(cell, result, ship)
        sunk = [strategy.line_of(ship, 4) for _, ship in told if isinstance(ship, list)]
        possible = strategy.Fleets(board, luck, strategy.Clock(inf))
        listed = {tuple(sorted([*fleet, *sunk])) for fleet in possible.all_with({})}
        assert listed == set(alike)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(strategy, "WAYS", -1)
            drawn = strategy.Fleets(board, luck, strategy.Clock(inf)).chances(1500)
        for cell in strategy.bits(board.fresh()):
            exact = sum(any(line >> cell & 1 for line in one) for one in alike) / len(alike)
            assert drawn[cell] == pytest.approx(exact, abs=0.1)


def test_a_list_that_is_cut_off_is_not_taken_for_all(strategy: ModuleType) -> None:
    """Three equal ships of one cell are as likely everywhere, though each fleet comes up in six
    orders and the list ends early."""
    board = strategy.Board({"columns": 4, "rows": 4, "fleet": [1, 1, 1], "sinking": "nothing"})
    for listed in (500, 5000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(strategy, "LISTED", listed)
            fleets = strategy.Fleets(board, random.Random(1), strategy.Clock(inf))
            found = fleets.chances(2000)
        assert found == pytest.approx([3 / 16] * 16, abs=0.02 if listed == 500 else 1e-9)


def test_a_volley_does_not_ask_twice(strategy: ModuleType) -> None:
    """Its shots go to different places for the ship, as one shot at a place tells all of it."""
    board = strategy.Board({"columns": 8, "rows": 1, "fleet": [2], "sinking": "nothing"})
    for cell in (2, 5):
        board.note(cell, 1)  # the ship is at 0 and 1, at 3 and 4, or at 6 and 7
    for seed in range(10):
        volley = strategy.best_volley({1: board}, 2, random.Random(seed), strategy.Clock(inf))
        assert len({cell // 3 for _, cell in volley}) == 2


def test_equal_chances_are_taken_where_fewest_points_are(strategy: ModuleType) -> None:
    """It shoots at the board of the player who is last if all boards are alike."""
    rules = {"columns": 3, "rows": 1, "fleet": [3], "sinking": "nothing"}
    boards = {seat: strategy.Board(rules) for seat in (0, 1, 3)}
    for last in boards:
        points = [0 if seat == last else 2 for seat in range(4)]
        clock = strategy.Clock(inf)
        assert strategy.likeliest_shot(boards, random.Random(1), clock, points)[0] == last


class SlowLuck:
    """Luck by which time passes: each draw takes a millisecond."""

    def __init__(self) -> None:
        self.ms = 0
        self.luck = random.Random(1)

    def monotonic(self) -> float:
        return self.ms / 1000

    def __getattr__(self, name: str) -> Any:
        self.ms += 1
        return getattr(self.luck, name)


def boards_after(
    strategy: ModuleType, rules: dict[str, Any], results: dict[int, int], boards: int = 1
) -> dict[int, Any]:
    """Boards at which each player has shot alike; ``results`` has them by cell."""
    found = {seat: strategy.Board(rules) for seat in range(boards)}
    for board, (cell, result) in product(found.values(), results.items()):
        board.note(cell, result)
    return found


LARGE = {**USUAL, "sinking": "nothing"}
POSITIONS = {  # rules, results by cell, boards
    "many fleets": (LARGE, {}, 1),
    "hits that two ships share": (LARGE, {44: 3, 45: 3, 54: 3, 47: 3, 22: 3}, 1),
    "many boards": (LARGE, {50: 1}, 8),
    "many lists that are cut off": (small_rules("nothing"), {5: 3}, 8),
    "no fleet": ({"columns": 13, "rows": 1, "fleet": [2] * 6, "sinking": "nothing"}, {3: 1}, 1),
}


@pytest.mark.parametrize("is_volley", [False, True])
@pytest.mark.parametrize("position", POSITIONS)
def test_the_clock_ends_every_search(
    strategy: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    position: str,
    is_volley: bool,
) -> None:
    """At three quarters of the limit it ends within one ship that is placed or one step of the
    chain for each board, whatever it does just then. It takes what it has, and says so once."""
    rules, results, number = POSITIONS[position]
    for limit_ms in (80, inf):
        luck = SlowLuck()
        monkeypatch.setattr(strategy.time, "monotonic", luck.monotonic)
        boards = boards_after(strategy, rules, results, number)
        clock = strategy.Clock(limit_ms)
        if is_volley:
            [(seat, cell)] = strategy.best_volley(boards, 1, luck, clock)
        else:
            seat, cell = strategy.likeliest_shot(boards, luck, clock, [0] * number)
        assert boards[seat].fresh() >> cell & 1
        if limit_ms == inf:
            assert luck.ms > 200
            assert capsys.readouterr().err == ""
        else:
            assert 60 <= luck.ms <= 60 + 15 * number
            assert capsys.readouterr().err == "captain: the clock has ended the search\n"


def test_the_clock_ends_the_choice_of_a_volley(strategy: ModuleType) -> None:
    """Once the clock has ended the search, the other shots are the likeliest hits, whatever their
    news."""
    [board] = boards_after(strategy, LARGE, {44: 3}).values()

    class Looks:
        """A clock that ends the search after some looks at it."""

        number = 0

        def __init__(self, most: float) -> None:
            self.most = most

        def has_ended(self) -> bool:
            self.number += 1
            return self.number > self.most

    clock = Looks(inf)
    fleets = strategy.Fleets(board, random.Random(1), clock)
    chances = fleets.chances(strategy.STEPS_OF_VOLLEY)
    likeliest = sorted(strategy.bits(board.fresh()), key=lambda cell: -chances[cell])[:6]
    volley, whole_volley = (
        strategy.best_volley({1: board}, 6, random.Random(1), Looks(most))
        for most in (clock.number, inf)
    )
    assert volley == [(1, cell) for cell in likeliest] != whole_volley


def weights_by_side() -> dict[int, dict[str, list[list[float]]]]:
    tables = json.loads((FOLDER / "placement.json").read_text())
    return {int(board.partition("x")[0]): table["lines"] for board, table in tables.items()}


def test_fleets_lie_by_their_weights(strategy: ModuleType) -> None:
    """Lines in a corner turn up in proportion to their weight, and ships that lie already stay."""
    rules, luck = {"columns": 8, "rows": 8, "fleet": [2]}, random.Random(1)
    in_corner = [1 | 1 << 8, 1 | 1 << 1]
    drawn = [strategy.place(rules, luck)[0] in in_corner for _ in range(2000)]
    table = weights_by_side()[8]["2"]
    total = sum(4 * (2 * sum(row[:3]) + row[3]) for row in table)
    assert sum(drawn) / 2000 == pytest.approx(2 * table[0][0] / total, abs=0.03)
    ships = [[2, 0, 0, "vertical"]]
    lying = strategy.place(rules | {"fleet": [2, 5, 4]}, luck, ships)
    assert [strategy.ship_of(lying[0], 8), len(lying)] == [ships[0], 3]


def test_there_is_a_weight_for_each_row_and_place(strategy: ModuleType) -> None:
    """A table has, for each size, half of the rows, and half of the places in a row."""
    for side, lines in weights_by_side().items():
        shape = {size: [len(row) for row in rows] for size, rows in lines.items()}
        assert shape == {str(n): [(side - n) // 2 + 1] * (side // 2) for n in (2, 3, 4, 5)}
    fleet = strategy.place(USUAL, random.Random(1))
    assert [line.bit_count() for line in fleet] == USUAL["fleet"]


def test_no_side_of_the_board_is_preferred(strategy: ModuleType) -> None:
    """Lines that a turn or a reflection carries into each other weigh the same."""
    for side, lines in weights_by_side().items():
        for size in (2, 3, 4, 5):
            weights = {
                line: strategy.weight(strategy.ship_of(line, side), side, lines)
                for line in strategy.lines_of(side, side, size)
            }
            for line, weight in weights.items():
                places = [divmod(cell, side) for cell in strategy.bits(line)]
                mirrored = sum(1 << row * side + column for column, row in places)
                turned = sum(1 << row * side + side - 1 - column for column, row in places)
                assert weight == weights[mirrored] == weights[turned] > 0


def test_ships_that_touch_are_seldom(strategy: ModuleType) -> None:
    """Two ships touch as often as their weights say, each pair that touches weighing less."""
    tables = json.loads((FOLDER / "placement.json").read_text())["10x10"]
    heavy = {
        size: [
            (line, strategy.weight(strategy.ship_of(line, 10), 10, tables["lines"]))
            for line in strategy.lines_of(10, 10, size)
        ]
        for size in (4, 5)
    }

    def touch(one: int, other: int) -> bool:
        places = ([divmod(cell, 10) for cell in strategy.bits(line)] for line in (one, other))
        return any(abs(x - u) + abs(y - v) == 1 for (x, y), (u, v) in product(*places))

    total = [0.0, 0.0]
    for (five, by_five), (four, by_four) in product(heavy[5], heavy[4]):
        if not five & four:
            total[touch(five, four)] += by_five * by_four
    apart, beside = total[0], total[1] * tables["touching"]
    rules, luck = {"columns": 10, "rows": 10, "fleet": [5, 4]}, random.Random(1)
    drawn = [touch(*strategy.place(rules, luck)) for _ in range(1500)]
    assert sum(drawn) / 1500 == pytest.approx(beside / (apart + beside), abs=0.035)


def test_its_fleets_are_harder_to_find() -> None:
    """A bot that hunts needs more shots for them than for random fleets."""
    random_, placed = (
        sum(placement.shots("parity", VARIANTS["xbs"], fleets, 30))
        for fleets in (drawn_fleet, placement.placed_fleet)
    )
    assert placed > random_ + 30


@pytest.mark.parametrize("game", placement.GAMES)
def test_its_fleets_are_legal_in_every_game(game: str) -> None:
    """The fleet that the script measures is one by the rules, with the sizes of the random one."""
    rules = VARIANTS[game]
    for board in Solo(1, 20, 1):
        random_, placed = drawn_fleet(rules, board), placement.placed_fleet(rules, board)
        rules.drawn_as(random_).check_fleet(placed)


def test_the_programs_read_the_table_that_is_kept() -> None:
    """A table that a program would print is the one that it was given."""
    for board, table in json.loads((FOLDER / "placement.json").read_text()).items():
        side = int(board.partition("x")[0])
        assert placement.table_of("an older table\n" + placement.text_of(table), side) == table


def test_it_is_one_player_in_every_protocol(tmp_path: Path) -> None:
    """With one seed it places the same fleet over all wires that ask for the whole of it."""
    question = json.dumps({"cmd": "place", "rules": USUAL}, separators=(",", ":"))
    (tmp_path / "empty").mkdir()

    def said(folder: Path, text: str, *arguments: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-S", FOLDER / "bot.py", *arguments],
            input=text,
            cwd=folder,
            env={"BOT_SEED": "7"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    [reply] = said(FOLDER, "", question)
    assert said(FOLDER, question + "\n") == [reply]
    ships = json.loads(reply)["ships"]
    setup = "INFO SETUP players:a,b board:10x10 ships:5,4,3,3,2\nACTION SHIPS 5,4,3,3,2\n"
    names = [f"{size}:{chr(65 + x)}{y + 1}:{way[0].upper()}" for size, x, y, way in ships]
    assert said(tmp_path, setup) == [" ".join(["SHIPS", *names])]
    table = "G|1.1|xbs|N|2|9|0|17|10|10|5|A5|B4|C3|D3|E2\nQ\n"
    hello, joined = said(tmp_path / "empty", table)
    board = ["."] * 100
    for letter, (size, x, y, way) in zip("ABCDE", ships, strict=True):
        for i in range(size):
            board[10 * (y + i * (way == "vertical")) + x + i * (way == "horizontal")] = letter
    assert [hello, joined] == ["I|captain|1.0.0", f"J|captain|{''.join(board)}"]


@pytest.mark.parametrize(
    ("wire", "rules", "games"),
    [
        ("brainjar", "brainjar", 1),
        ("broadsides", "broadsides", 1),
        ("contest", "contest-5", 2),  # which are of one match, and of one process
        ("xbs", "xbs", 1),
    ],
)
def test_games_are_played_over_its_wires(wire: str, rules: str, games: int) -> None:
    """It forfeits nothing as a program of each protocol, and no turn is skipped."""
    words = ("--rules", rules, "--games", str(games), "--seed", "1", "--no-ledger", "--json")
    held = ("--timeout", "60s", "--isolation", "limits")
    done = judge("fight", f"captain@{wire}", "hunt", *words, *held)
    told = json.loads(done.stdout)
    assert told["games"] == games
    assert [bot["forfeits"] for bot in told["bots"]] == [{}, {}]
