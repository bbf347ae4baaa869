"""The engine's laws, and what it refuses; test_game_machine.py holds its rules to the oracle's."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from msgspec import UNSET

from changes import replace
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Fleet,
    Goal,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import IllegalFleet, IllegalMove, OutOfTurn, UsageError
from judge.game.events import Gone, Shot, Target
from judge.game.fleets import every_fleet as all_fleets
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.variants import CONTEST_DRAWS, VARIANTS, XBS, contest, name_of, variant
from judge.testing import (
    board,
    fire,
    fleets,
    free_spots,
    games,
    numbers_of_players,
    random_rules,
    squares,
    targets,
)
from judge.testing import rules as any_rules
from strategies import examples

T = Termination


def across(length: int, column: int, row: int) -> Ship:
    return Ship(length, column, row, Orientation.HORIZONTAL)


def down(length: int, column: int, row: int) -> Ship:
    return Ship(length, column, row, Orientation.VERTICAL)


TWO_SHIPS = (across(2, 0, 0), across(1, 0, 1))  # at the top left of a board of 4×3


def small(**fields) -> Rules:
    plain = Rules(
        name="small",
        columns=4,
        rows=3,
        fleet=(2, 1),
        players=(2, 4),
        turn=Turn.SINGLE,
        repeat=Repeat.OLD_ANSWER,
        placing=Placing.ALL,
        bad_move=BadMove.FORFEITS,
    )
    return replace(plain, **fields)


def begun(players: int = 2, **fields) -> Game:
    game = Game(small(**fields), players)
    for seat in range(players):
        game.place(seat, TWO_SHIPS)
    return game


@pytest.mark.parametrize(
    "fleet",
    [
        pytest.param((), id="none"),
        pytest.param((across(2, 0, 0),), id="a ship missing"),
        pytest.param((*TWO_SHIPS, across(1, 3, 2)), id="a ship too many"),
        pytest.param((across(2, 0, 0), across(2, 0, 1)), id="a wrong length"),
        pytest.param((across(2, 3, 0), across(1, 0, 1)), id="over the right edge"),
        pytest.param((down(2, 0, 2), across(1, 0, 1)), id="over the bottom edge"),
        pytest.param((across(2, -1, 0), across(1, 0, 1)), id="left of the grid"),
        pytest.param((across(2, 0, 0), across(1, 1, 0)), id="one on the other"),
        pytest.param((across(2, 0, 0), across(-1, 3, 2)), id="a negative length"),
    ],
)
def test_illegal_fleets(fleet: Fleet) -> None:
    """A fleet that is not of these rules is refused, and the seat is still awaited."""
    game = Game(small())
    with pytest.raises(IllegalFleet):
        game.place(0, fleet)
    assert game.to_move == (0, 1)
    game.place(0, TWO_SHIPS)


@pytest.mark.parametrize(
    "target",
    [
        *[Target(at, Cell(0, 0)) for at in (0, -1, 2)],
        *[Target(1, Cell(*at)) for at in ((-1, 0), (0, -1), (4, 0), (0, 3), (10**30, 0))],
    ],
    ids=str,
)
def test_illegal_shots(target: Target) -> None:
    """A shot at oneself, at a seat that is not there or off the grid is illegal, and the seat is
    still up."""
    game = begun()
    with pytest.raises(IllegalMove):
        game.shoot(0, [target])
    assert game.to_move == (0,)


def test_the_events_of_going() -> None:
    """A forfeit is told with its reason, and the outcome is told last; of two the reasons stand in
    the order of seats."""
    gone, outcome = begun().forfeit(1, T.CRASH, "killed by SIGSEGV")
    assert gone == Gone(1, T.CRASH, "killed by SIGSEGV")
    assert outcome == Outcome(0, 1, T.CRASH, "killed by SIGSEGV")
    game = begun(turn=Turn.BOTH)
    game.forfeit(1, T.TIMEOUT, "late")
    *_, outcome = game.forfeit(0, T.CRASH, "fell over")
    assert outcome == Outcome(None, None, T.BOTH_FAILED, "fell over; late")


# What games by chance seldom come to


def test_failing_together_waits_for_nobody() -> None:
    """Those who failed in one step are out, and no shot of that round counts."""
    game = begun(3, turn=Turn.BOTH)
    game.shoot(0, [Target(1, Cell(0, 0))])
    game.forfeit_together([Gone(2, T.CRASH)])
    assert [(shot.seat, shot.target) for shot in game.shots] == [(0, 1)]
    assert game.to_move == (0, 1)
    game.forfeit_together([Gone(0, T.CRASH), Gone(1, T.TIMEOUT)])
    assert game.outcome is not None
    assert game.outcome.termination is T.BOTH_FAILED


def test_a_round_that_all_have_left_is_none() -> None:
    """A round in which nobody stayed to answer does not count towards the limit."""
    game = begun(3, turn=Turn.BOTH, may_return=True, round_limit=1)
    game.leave(2)
    game.come_back(2)
    game.leave(0)
    game.leave(1)
    assert (game.rounds, game.to_move) == (0, (2,))


@pytest.mark.parametrize(("goal", "up"), [(Goal.FLEET, 2), (Goal.POINTS, 1)])
def test_a_seat_without_ships_shoots_on_only_for_points(goal: Goal, up: int) -> None:
    """A seat whose ships have sunk has no turn if the goal is a fleet; by points it shoots on."""
    game = begun(3, goal=goal)
    for seat, target, cell in [(0, 1, (0, 0)), (1, 2, (3, 2)), (2, 1, (1, 0)), (0, 1, (0, 1))]:
        game.shoot(seat, [Target(target, Cell(*cell))])
    assert game.to_move == (up,)


def test_a_copy_goes_on_by_itself() -> None:
    """Acts in a copy leave the game as it was. The copy has the answers of an unfinished round."""
    game = begun(turn=Turn.BOTH)
    game.shoot(0, [Target(1, Cell(0, 0))])
    before = ([*game.shots], game.to_move, game.view(1))
    other = game.copy()
    assert (other.shots, other.to_move, other.view(1)) == before
    other.shoot(1, [Target(0, Cell(3, 2))])
    assert other.to_move == (0, 1)
    assert (game.shots, game.to_move, game.view(1)) == before


def test_everyone_has_left() -> None:
    """With everyone away the game waits, and who comes back first is up at once. Who is away cannot
    leave again."""
    game = begun(may_return=True)
    game.leave(1)
    game.leave(0)
    assert (game.to_move, game.outcome) == ((), None)
    assert (game.is_away(0), game.is_in(0)) == (True, True)
    with pytest.raises(OutOfTurn, match="seat 0 has left already"):
        game.leave(0)
    game.come_back(1)
    assert game.to_move == (1,)


def test_a_game_is_broken_off_once() -> None:
    """It has no winner and no loser, and a game that is over cannot be broken off."""
    game = begun()
    assert game.abort("the power failed") == (Outcome(None, None, T.ABORTED, "the power failed"),)
    with pytest.raises(OutOfTurn, match="the game is over"):
        game.abort("again")


@examples(60)
@given(games())
def test_a_legal_shot_is_one_that_the_game_takes(game: Game) -> None:
    """A copy takes a volley of legal shots and refuses one with any other shot. The game stays as
    it was. A seat has legal shots while it is up, and no longer."""
    before = (tuple(game.shots), game.outcome, game.to_move)
    for seat in game.to_move:
        legal, due = game.legal_shots(seat), game.shots_due(seat)
        for number, cell in product(range(game.players), board(game.rules)):
            target = Target(number, Cell(*cell))
            volley = [target, *(other for other in legal if other != target)][:due]
            if len(volley) < due:
                continue
            if target in legal:
                game.copy().shoot(seat, volley)
            else:
                with pytest.raises(IllegalMove):
                    game.copy().shoot(seat, volley)
    assert (tuple(game.shots), game.outcome, game.to_move) == before
    seats = range(game.players)
    assert tuple(seat for seat in seats if game.legal_shots(seat)) == game.to_move


# What a view holds


Answers = list[tuple[Result, int | Ship | None]]


def answers(fleet: Fleet, shots: list[Cell], *, whole: bool = False) -> Answers:
    """The answers of a board to shots at it, one after the other; counted from the fleet alone.
    With ``whole``, a ship that is sunk is told with where it lies, a single cell's direction
    included.
    """
    left = {ship: set(squares(ship)) for ship in fleet}
    said: Answers = []
    seen: set[Cell] = set()
    for cell in shots:
        ship = next((ship for ship in left if cell in left[ship]), None)
        if cell in seen:
            said.append((Result.REPEAT, None))
        elif ship is None:
            said.append((Result.MISS, None))
        else:
            left[ship].discard(cell)
            sunk = ship if whole else ship.length
            said.append((Result.HIT, None) if left[ship] else (Result.SUNK, sunk))
        seen.add(cell)
    return said


def shots_at(game: Game, seat: int) -> list[Cell]:
    return [shot.cell for shot in game.shots if shot.target == seat]


def replayed(game: Game, new: list[Fleet]) -> Game:
    """The same game with other fleets. A round of all at once stands where it stood, but who has
    answered it may have answered something else."""
    again = Game(game.rules, game.players, game.first)
    while again.is_placing:
        seat = again.to_move[0]
        again.place(seat, new[seat])
    shots = list(game.shots)
    while shots:
        for seat in again.to_move:
            volley, shots = shots[: again.shots_due(seat)], shots[again.shots_due(seat) :]
            again.shoot(seat, targets([(s.target, *s.cell) for s in volley]))
    for seat in sorted(set(again.to_move) - set(game.to_move)):
        fire(again, seat, Random(seat))
    return again


def every_fleet(rules: Rules) -> list[Fleet]:
    """All fleets of a small board, one for each set of cells of each ship."""
    flat = [
        [s for s in free_spots(rules, n, frozenset()) if n > 1 or s.orientation == "horizontal"]
        for n in rules.lengths
    ]
    return [
        fleet
        for fleet in product(*flat)
        if len(frozenset().union(*map(squares, fleet))) == sum(rules.lengths)
    ]


@examples(25)
@given(st.sampled_from(Turn), st.sampled_from(Repeat), st.sampled_from(Sinking), st.data())
def test_one_view_for_every_fleet_that_answers_the_same(turn, repeat, sinking, data) -> None:
    """On a small board: all fleets of the opponent that answer alike give the same view."""
    rules = small(columns=3, rows=2, turn=turn, repeat=repeat, sinking=sinking)
    game = data.draw(games(st.just(rules), most_turns=8))
    placed = [game.fleet(seat) for seat in range(game.players)]
    shots, whole = shots_at(game, 1), sinking is Sinking.SHIP
    same = answers(placed[1], shots, whole=whole)
    alike = [one for one in every_fleet(rules) if answers(one, shots, whole=whole) == same]
    event(f"fleets that answer alike: {min(len(alike), 5)}{'+' * (len(alike) > 5)}")
    for fleet in alike:
        assert replayed(game, [placed[0], fleet, *placed[2:]]).view(0) == game.view(0)


@examples(100)
@given(games(), st.integers(0, 2**32 - 1))
def test_an_answer_of_the_round_is_hidden(game: Game, seed: int) -> None:
    """Whatever a seat answers to a round, until the last answer no other view changes."""
    rng = Random(seed)
    while len(game.to_move) > 1:
        seat = rng.choice(game.to_move)
        others = [other for other in range(game.players) if other != seat]
        before = [game.view(other) for other in others]
        fire(game, seat, rng)
        assert [game.view(other) for other in others] == before
        event("an answer was hidden")


# How long games last


@examples(150)
@given(any_rules(), st.data())
def test_games_at_fresh_cells_end(rules: Rules, data) -> None:
    """Players that shoot at fresh cells while they can come to an end, within the bound that
    the cells give: two players never shoot more than all cells of one board and, but for moving
    both at once, all but one of the other."""
    players = data.draw(numbers_of_players(rules))
    game = Game(rules, players, data.draw(st.integers(0, players - 1)))
    while game.is_placing:
        game.place(game.to_move[0], data.draw(fleets(rules)))
    rng = Random(data.draw(st.integers(0, 2**32 - 1)))
    cells = rules.columns * rules.rows
    if players == 2:
        bound = 2 * cells - (rules.turn is not Turn.BOTH and rules.goal is Goal.FLEET)
    elif rules.repeat is Repeat.ILLEGAL and rules.turn is not Turn.BOTH:
        bound = players * cells
    else:  # a seat may have no fresh cell left; but once around somebody has
        bound = players * players * cells
    turns = 0
    while game.outcome is None:
        fire(game, rng.choice(game.to_move), rng)
        turns += 1
        assert turns <= bound
    if rules.round_limit is not None:
        assert game.rounds <= rules.round_limit
    event(f"{players} players, {game.outcome.termination}")


# Fleets by chance


def is_improbable(counts: list[int], chances: list[float]) -> bool:
    """Whether Pearson's χ² is more than five standard deviations above its mean."""
    total, freedom = sum(counts), len(counts) - 1
    expected = [total * chance for chance in chances]
    chi = sum((n - e) ** 2 / e for n, e in zip(counts, expected, strict=True))
    return chi > freedom + 5 * (2 * freedom) ** 0.5


@examples(100)
@given(random_rules(), st.integers())
def test_random_fleets_are_legal(rules: Rules, seed: int) -> None:
    """A random fleet is legal, on boards that are nearly full too; the same seed, the same
    fleet."""
    fleet = random_fleet(rules, Random(seed))
    Game(rules).place(0, fleet)
    assert fleet == random_fleet(rules, Random(seed))


@pytest.mark.parametrize("name", VARIANTS)
def test_random_fleets_of_the_variants_are_legal(name: str) -> None:
    """Every variant's fleet can be drawn."""
    rng = Random(1)
    for _ in range(50):
        rules = VARIANTS[name].drawn(rng)
        Game(rules).place(0, random_fleet(rules, rng))


@pytest.mark.parametrize(
    ("columns", "rows", "lengths"),
    [(3, 3, (2, 1)), (3, 3, (2, 2)), (4, 2, (1, 3)), (3, 3, (3, 2, 1)), (4, 1, (1, 2))],
)
def test_random_fleets_are_uniform(columns: int, rows: int, lengths: tuple[int, ...]) -> None:
    """All legal fleets are listed, each once, and are equally likely, taken whole: the joint
    distribution is uniform."""
    rules = small(columns=columns, rows=rows, fleet=lengths)
    every = {tuple(map(squares, fleet)): 0 for fleet in every_fleet(rules)}
    listed = [tuple(map(squares, fleet)) for fleet in all_fleets(rules)]
    assert Counter(listed) == Counter(every.keys())
    rng = Random(12)
    for _ in range(40 * len(every)):
        every[tuple(map(squares, random_fleet(rules, rng)))] += 1
    assert not is_improbable(list(every.values()), [1 / len(every)] * len(every))


def test_the_chi_square_sees_a_wrong_draw() -> None:
    """Ships placed one after the other, each where there is room, are not uniform, and seen."""
    rules = small(columns=4, rows=1, fleet=(1, 2))
    every = {tuple(map(squares, fleet)): 0 for fleet in every_fleet(rules)}
    rng = Random(12)
    for _ in range(40 * len(every)):
        one = across(1, rng.randrange(4), 0)
        two = rng.choice(free_spots(rules, 2, squares(one)))
        every[squares(one), squares(two)] += 1
    assert is_improbable(list(every.values()), [1 / len(every)] * len(every))


def test_a_full_board() -> None:
    """A fleet is found by searching if nearly every draw overlaps."""
    full = small(columns=4, rows=4, fleet=(4, 4, 3, 2, 2, 1))
    Game(full).place(0, random_fleet(full, Random(3)))


def test_no_room() -> None:
    """A board that has enough cells, but no room for the fleet, is said to have none."""
    with pytest.raises(UsageError, match="cannot hold"):
        random_fleet(small(columns=5, rows=2, fleet=(3, 3, 3)), Random(3))


TABLE = {  # board: ships, shortest, longest, as the facts have them
    10: (6, 3, 5),
    9: (5, 3, 5),
    8: (5, 3, 4),
    7: (5, 2, 4),
    6: (5, 2, 3),
    5: (4, 2, 3),
    4: (4, 1, 3),
    3: (3, 1, 2),
}


@pytest.mark.parametrize("side", TABLE)
def test_drawn_fleets(side: int) -> None:
    """A drawn ship is the shortest with chance 1/2, the middle, rounded down, with 1/3, and the
    longest with 1/6; there are as many as the table says, and n² rounds."""
    ships, shortest, longest = TABLE[side]
    rules = contest(side)
    assert rules.fleet == Draw(ships, shortest, longest) == CONTEST_DRAWS[side]
    assert (rules.columns, rules.rows, rules.round_limit) == (side, side, side * side)
    chances: Counter[int] = Counter()
    for length, sixths in [(shortest, 3), ((shortest + longest) // 2, 2), (longest, 1)]:
        chances[length] += sixths
    rng = Random(side)
    drawn: Counter[int] = Counter()
    for _ in range(1000):
        fleet = rules.drawn(rng).lengths
        assert len(fleet) == ships
        drawn.update(fleet)
    assert set(drawn) == set(chances)
    lengths = sorted(chances)
    seen, wanted = [drawn[n] for n in lengths], [chances[n] / 6 for n in lengths]
    assert not is_improbable(seen, wanted)
    assert is_improbable([sum(drawn.values()) // len(lengths)] * len(lengths), wanted)


def test_boards_and_fleets_of_the_variants_are_those_of_the_original_games() -> None:
    """They are published with the games; each game of contest draws its fleet. Only in xbs may a
    player skip a turn."""
    boards = {name: (rules.columns, rules.rows, rules.fleet) for name, rules in VARIANTS.items()}
    assert boards == {
        "brainjar": (8, 8, (2, 3, 4, 5)),
        "broadsides": (10, 10, (5, 4, 3, 3, 2)),
        "contest": (10, 10, Draw(ships=6, shortest=3, longest=5)),
        "bsp": (10, 10, (5, 4, 3, 3, 2, 2, 1, 1, 1)),
        "xbs": (10, 10, (5, 4, 3, 3, 2)),
    }
    assert [name for name, rules in VARIANTS.items() if rules.may_skip] == ["xbs"]


def test_a_variant_is_found_by_its_name() -> None:
    """Each size of the contest is a variant of its own. The rules of one game, with their ships
    drawn, have the name of the variant."""
    names = [*VARIANTS, *(f"contest-{side}" for side in range(3, 10))]
    found = [rules for name in names if (rules := variant(name))]
    assert [name_of(rules) for rules in found] == names
    assert [name_of(rules.drawn(Random(1))) for rules in found] == names
    assert variant("contest-10") == VARIANTS["contest"]
    assert [variant(name) for name in ("contest-2", "contest-11", "chess")] == [None] * 3


def test_a_fleet_that_is_not_drawn() -> None:
    """Rules with a fleet of their own are drawn as they are; all of contest's draws differ in
    nothing but the fleet."""
    assert XBS.drawn(Random(1)) is XBS
    rules = VARIANTS["contest"]
    drawn = rules.drawn(Random(1))
    assert replace(drawn, fleet=rules.fleet, draw=UNSET) == rules
    assert drawn == rules.drawn(Random(1))


def test_shots_know_whether_they_hit() -> None:
    """A sinking is a hit; a repeat of one is not."""
    results = [Shot(0, 1, Cell(0, 0), result).is_hit for result in Result]
    assert results == [False, False, True, True]


def test_a_fleet_that_no_search_finds_soon_is_refused() -> None:
    """To tile a board with 25 ships of four could take for ever: the search has a bound, and says
    so as a fault of the rules."""
    rules = replace(VARIANTS["brainjar"], name="tiles", columns=10, rows=10, fleet=(4,) * 25)
    with pytest.raises(UsageError, match=r"rules 'tiles': .* in 200,000 tries; give it fewer"):
        random_fleet(rules, Random(1))
