"""The engine's rules, sentence by sentence, and its laws."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from msgspec import UNSET, structs

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
from judge.game.events import Gone, Shot
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.variants import BSP, CONTEST_DRAWS, VARIANTS, XBS, contest
from judge.testing import (
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


# Two ships at the top left, of a board of 4×3: a 2 at 0,0 1,0 and a 1 at 0,1.
TWO_SHIPS = (across(2, 0, 0), across(1, 0, 1))
SHIP_CELLS = [(0, 0), (1, 0), (0, 1)]
SEA = [(c, r) for c in range(4) for r in range(3) if (c, r) not in SHIP_CELLS]


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


def begun(rules: Rules, players: int = 2, first: int = 0, fleet: Fleet = TWO_SHIPS) -> Game:
    game = Game(rules, players, first)
    while game.is_placing:
        game.place(game.to_move[0], fleet)
    return game


def shoot(game: Game, seat: int, *cells: tuple[int, int], at: int | None = None) -> list[Result]:
    """Fire a volley at another seat, in a game of two at the other one; the true results."""
    old = len(game.shots)
    target = 1 - seat if at is None else at
    game.shoot(seat, targets([(target, *cell) for cell in cells]))
    return [shot.result for shot in game.shots[old:]]


def told(game: Game, number: int = -1) -> tuple[Result, int | None, bool]:
    """How both seats are told a shot, by default the last."""
    one, other = (game.view(seat).shots[number] for seat in (0, 1))
    assert one == other
    return one.result, one.sunk, one.repeat


def end(game: Game) -> tuple[int | None, int | None, Termination]:
    assert game.outcome is not None
    assert game.to_move == ()
    return game.outcome.winner, game.outcome.loser, game.outcome.termination


class TestPlacing:
    def test_all_are_asked_at_once(self) -> None:
        """Unless they place in turn, all seats are awaited, and may place in any order."""
        game = Game(small(), 3)
        assert game.to_move == (0, 1, 2)
        game.place(1, TWO_SHIPS)
        assert game.to_move == (0, 2)

    def test_in_turn(self) -> None:
        """Placing in turn, who moves first is asked first, and the others in the order of moving."""
        game = Game(small(placing=Placing.IN_TURN), 3, first=2)
        with pytest.raises(OutOfTurn):
            game.place(1, TWO_SHIPS)
        game.place(2, TWO_SHIPS)
        assert game.to_move == (0,)

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
    def test_illegal_fleets(self, fleet: Fleet) -> None:
        """A fleet that is not of these rules is refused, and the seat is still awaited."""
        game = Game(small())
        with pytest.raises(IllegalFleet):
            game.place(0, fleet)
        assert game.to_move == (0, 1)
        game.place(0, TWO_SHIPS)

    def test_touching_and_order(self) -> None:
        """Ships may touch, be given in any order, and a ship of one cell lies either way."""
        game = Game(small())
        game.place(0, (down(1, 0, 1), across(2, 0, 0)))
        assert game.to_move == (1,)

    def test_both_bad_is_void(self) -> None:
        """Two forfeits before the first shot make a void game, without winner or loser."""
        game = Game(small())
        game.forfeit(0, T.ILLEGAL_FLEET, "off the grid")
        assert game.to_move == (1,)
        game.forfeit(1, T.TIMEOUT, "late")
        assert end(game) == (None, None, T.VOID)

    def test_the_second_is_asked_after_a_bad_first(self) -> None:
        """Asked all together, the second fleet is awaited whatever became of the first."""
        game = Game(small())
        game.forfeit(0, T.CRASH, "exit status 1")
        assert game.outcome is None
        game.place(1, TWO_SHIPS)
        assert end(game) == (1, 0, T.CRASH)
        assert game.outcome is not None
        assert game.outcome.detail == "exit status 1"

    def test_the_second_is_not_asked_in_turn(self) -> None:
        """Asked in turn, a bad first fleet ends the game, and the second wins unasked."""
        game = Game(small(placing=Placing.IN_TURN))
        game.forfeit(0, T.ILLEGAL_FLEET, "")
        assert end(game) == (1, 0, T.ILLEGAL_FLEET)
        assert game.view(1).fleet is None

    def test_a_bad_second_fleet_in_turn(self) -> None:
        """Asked in turn, the first wins by the second's bad fleet."""
        game = Game(small(placing=Placing.IN_TURN))
        game.place(0, TWO_SHIPS)
        game.forfeit(1, T.ILLEGAL_FLEET, "")
        assert end(game) == (0, 1, T.ILLEGAL_FLEET)

    def test_both_bad_is_a_tie_where_games_can_be_tied(self) -> None:
        """Under rules with ties, two bad fleets are one, and count."""
        for ties in ({"turn": Turn.BOTH}, {"goal": Goal.POINTS}, {"round_limit": 5}):
            game = Game(small(**ties))
            game.forfeit(0, T.ILLEGAL_FLEET, "")
            game.forfeit(1, T.TIMEOUT, "")
            assert end(game) == (None, None, T.BOTH_FAILED)

    def test_ship_by_ship_ends_when_a_seat_has_failed(self) -> None:
        """Nobody is asked for the rest of a fleet that nobody will shoot at."""
        game = Game(small(placing=Placing.SHIP_BY_SHIP))
        game.forfeit(1, T.ILLEGAL_FLEET, "")
        assert end(game) == (0, 1, T.ILLEGAL_FLEET)
        assert game.fleet(0) is None
        game = Game(small(placing=Placing.SHIP_BY_SHIP))
        game.forfeit_together([Gone(0, T.CRASH), Gone(1, T.ILLEGAL_FLEET)])
        assert end(game) == (None, None, T.VOID)
        game = Game(small(placing=Placing.SHIP_BY_SHIP), 3)
        game.forfeit(1, T.ILLEGAL_FLEET, "")
        assert game.to_move == (0, 2)

    def test_resigning_while_placing_waits_for_the_others(self) -> None:
        """Who has placed and resigns has lost, but the other is still asked: it may be void."""
        game = Game(small())
        game.place(0, TWO_SHIPS)
        game.resign(0)
        assert game.to_move == (1,)
        game.forfeit(1, T.BAD_OUTPUT, "")
        assert end(game) == (None, None, T.VOID)

    def test_leaving_while_placing_is_for_good(self) -> None:
        """Who leaves before the first shot cannot come back, even where players may."""
        game = Game(small(may_return=True), 3)
        game.leave(1)
        with pytest.raises(OutOfTurn):
            game.come_back(1)

    def test_play_begins_with_the_first_that_is_left(self) -> None:
        """If the first mover never placed, the next seat in the cycle moves first."""
        game = Game(small(), 3, first=2)
        game.place(1, TWO_SHIPS)
        game.forfeit(2, T.CRASH, "")
        game.place(0, TWO_SHIPS)
        assert game.to_move == (0,)

    def test_no_shots_while_placing(self) -> None:
        """Shots are out of turn before the fleets are placed, and fleets after."""
        game = Game(small())
        with pytest.raises(OutOfTurn):
            shoot(game, 0, (0, 0))
        assert game.shots_due(0) == 0
        with pytest.raises(OutOfTurn):
            begun(small()).place(0, TWO_SHIPS)


class TestTurns:
    def test_a_hit_shoots_again(self) -> None:
        """With hit-again, a hit and a sinking keep the turn, and a miss passes it."""
        game = begun(small(turn=Turn.HIT_AGAIN))
        assert shoot(game, 0, (0, 0)) == [Result.HIT]
        assert shoot(game, 0, (1, 0)) == [Result.SUNK]
        assert shoot(game, 0, SEA[0]) == [Result.MISS]
        assert game.to_move == (1,)

    def test_a_repeat_does_not_shoot_again(self) -> None:
        """With hit-again, a repeat of a hit is wasted: it passes the turn."""
        game = begun(small(turn=Turn.HIT_AGAIN))
        shoot(game, 0, (0, 0))
        shoot(game, 0, (0, 0))
        assert game.to_move == (1,)

    def test_a_single_shot_passes_the_turn(self) -> None:
        """With single shots, a hit passes the turn as well."""
        game = begun(small(), 3, first=1)
        shoot(game, 1, (0, 0), at=0)
        assert game.to_move == (2,)
        shoot(game, 2, SEA[0], at=0)
        assert game.to_move == (0,)

    def test_who_is_sunk_is_passed_over(self) -> None:
        """A seat without a ship has no more turns if the last fleet afloat wins."""
        game = begun(small(turn=Turn.HIT_AGAIN), 3)
        for cell in SHIP_CELLS:
            shoot(game, 0, cell, at=1)
        shoot(game, 0, SEA[0], at=2)
        assert game.to_move == (2,)
        assert game.outcome is None
        assert game.view(1).present == (True, True, True)

    def test_sunk_and_gone_boards_can_be_shot_at(self) -> None:
        """A shot at a seat that resigned is legal, hits what is there, and scores."""
        game = begun(small(goal=Goal.POINTS), 3)
        game.resign(2)
        assert shoot(game, 0, (0, 0), at=2) == [Result.HIT]
        game.resign(1)
        assert game.outcome is not None
        assert game.outcome.scores == (1, 0, 0)

    def test_who_never_placed_cannot_be_shot_at(self) -> None:
        """A seat without a fleet is no target."""
        game = Game(small(), 3)
        game.place(0, TWO_SHIPS)
        game.place(1, TWO_SHIPS)
        game.forfeit(2, T.CRASH, "")
        with pytest.raises(IllegalMove):
            shoot(game, 0, (0, 0), at=2)

    @pytest.mark.parametrize("at", [0, -1, 2])
    def test_no_opponent(self, at: int) -> None:
        """A shot at oneself or at a seat that is not there is illegal."""
        with pytest.raises(IllegalMove):
            shoot(begun(small()), 0, (0, 0), at=at)

    @pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (4, 0), (0, 3), (10**30, 0)])
    def test_off_the_grid(self, cell: tuple[int, int]) -> None:
        """A shot off the grid is illegal, and the seat is still up."""
        game = begun(small())
        with pytest.raises(IllegalMove):
            shoot(game, 0, cell)
        assert game.to_move == (0,)

    def test_skipping(self) -> None:
        """A turn can be skipped only where the rules allow it."""
        with pytest.raises(IllegalMove):
            begun(small()).skip(0)
        game = begun(small(may_skip=True))
        game.skip(0)
        assert game.to_move == (1,)

    @pytest.mark.parametrize("seat", [1, 2, -1])
    def test_out_of_turn_comes_first(self, seat: int) -> None:
        """A wrong seat is out of turn even if its move is illegal too."""
        game = begun(small())
        with pytest.raises(OutOfTurn):
            game.shoot(seat, [])
        with pytest.raises(OutOfTurn):
            game.skip(seat)


class TestSalvo:
    FIVES = (across(5, 0, 0), across(4, 0, 1), across(3, 0, 2), across(3, 0, 3), across(2, 0, 4))

    def begun(self) -> Game:
        return begun(VARIANTS["broadsides"], fleet=self.FIVES)

    def test_the_five_gives_two(self) -> None:
        """Five ships afloat fire six shots while the 5 is one of them, hit or not."""
        game = self.begun()
        assert game.shots_due(0) == game.view(0).due == 6
        shoot(game, 0, *[(c, 0) for c in range(4)], (9, 9), (9, 8))
        assert game.shots_due(1) == 6

    def test_without_the_five(self) -> None:
        """With the 5 sunk, the four that are left fire four shots."""
        game = self.begun()
        shoot(game, 0, *[(c, 0) for c in range(5)], (9, 9))
        assert game.shots_due(1) == 4

    def test_without_another(self) -> None:
        """With another ship sunk, the 5 and three more fire five shots."""
        game = self.begun()
        shoot(game, 0, (0, 4), (1, 4), (9, 9), (9, 8), (9, 7), (9, 6))
        assert game.shots_due(1) == 5

    @pytest.mark.parametrize("number", [0, 1, 5, 7])
    def test_exactly_as_many_as_due(self, number: int) -> None:
        """A shot too few or too many makes the whole volley illegal, and no shot counts."""
        game = self.begun()
        with pytest.raises(IllegalMove):
            shoot(game, 0, *[(9, row) for row in range(number)])
        assert game.shots == []

    def test_one_illegal_shot_spoils_the_volley(self) -> None:
        """A volley is legal or illegal as a whole."""
        game = self.begun()
        with pytest.raises(IllegalMove):
            shoot(game, 0, *[(9, row) for row in range(5)], (9, 10))
        assert game.shots == []

    def test_the_winner_is_looked_for_after_the_volley(self) -> None:
        """All shots of the last volley are answered, the ones after the last hit too."""
        game = begun(small(turn=Turn.SALVO))
        shoot(game, 0, (0, 0), (1, 0))
        shoot(game, 1, (0, 0))
        assert shoot(game, 0, (0, 1), SEA[0]) == [Result.SUNK, Result.MISS]
        assert end(game) == (0, 1, T.FLEET_DESTROYED)

    def test_a_repeat_within_the_volley(self) -> None:
        """The second of two shots of a volley at one cell is a repeat."""
        game = begun(small(turn=Turn.SALVO))
        assert shoot(game, 0, (0, 0), (0, 0)) == [Result.HIT, Result.REPEAT]
        game = begun(small(turn=Turn.SALVO, repeat=Repeat.ILLEGAL))
        with pytest.raises(IllegalMove):
            shoot(game, 0, (0, 0), (0, 0))

    def test_a_sunk_seat_that_plays_on_has_one_shot(self) -> None:
        """A seat without ships that plays on still has one shot."""
        game = begun(small(turn=Turn.SALVO, goal=Goal.POINTS, points=9))
        shoot(game, 0, (0, 0), (1, 0))
        shoot(game, 1, SEA[0])
        shoot(game, 0, (0, 1), SEA[0])
        assert game.outcome is None
        assert game.shots_due(1) == 1

    def test_no_more_shots_than_fresh_cells(self) -> None:
        """No more shots are due than there are fresh cells if repeats are illegal."""
        rules = small(columns=2, rows=2, fleet=(1, 1, 1), turn=Turn.SALVO, repeat=Repeat.ILLEGAL)
        fleet = (across(1, 0, 0), across(1, 1, 0), across(1, 0, 1))
        assert begun(rules, fleet=fleet).shots_due(0) == 3
        assert begun(replace(rules, salvo_bonus=(1,)), fleet=fleet).shots_due(0) == 4


class TestRepeats:
    def again(
        self, repeat: Repeat, *cells: tuple[int, int], sinking: Sinking = Sinking.SIZE
    ) -> Game:
        """Seat 0 shoots at these cells of seat 1, which answers into the sea each time."""
        game = begun(small(repeat=repeat, sinking=sinking))
        for number, cell in enumerate(cells):
            shoot(game, 0, cell)
            if number + 1 < len(cells):
                shoot(game, 1, SEA[number])
        return game

    def test_illegal(self) -> None:
        """A second shot at a cell is refused if repeats are illegal, whoever shot first."""
        with pytest.raises(IllegalMove):
            self.again(Repeat.ILLEGAL, (0, 0), (0, 0))
        game = begun(small(repeat=Repeat.ILLEGAL), 3)
        shoot(game, 0, (0, 0), at=2)
        with pytest.raises(IllegalMove):
            shoot(game, 1, (0, 0), at=2)
        shoot(game, 1, (0, 0), at=0)

    def test_old_answer(self) -> None:
        """A repeat gets the answer of its day: a hit on a ship sunk since is a hit."""
        game = self.again(Repeat.OLD_ANSWER, (0, 0), (1, 0), (0, 0))
        assert game.shots[-1].result is Result.REPEAT
        assert told(game) == (Result.HIT, None, False)
        game = self.again(Repeat.OLD_ANSWER, (0, 0), (1, 0), (1, 0))
        assert told(game) == (Result.SUNK, 2, False)

    def test_said_so(self) -> None:
        """The old answer, and that it is a repeat: of a hit, a miss or a kill."""
        game = self.again(Repeat.SAID_SO, (0, 0), (1, 0), (1, 0))
        assert told(game) == (Result.SUNK, 2, True)
        game = self.again(Repeat.SAID_SO, (3, 2), (3, 2))
        assert told(game) == (Result.MISS, None, True)

    def test_miss(self) -> None:
        """A repeat is told as a miss, even on a hit."""
        game = self.again(Repeat.MISS, (0, 0), (0, 0))
        assert game.shots[-1].result is Result.REPEAT
        assert told(game) == (Result.MISS, None, False)

    @pytest.mark.parametrize(
        ("sinking", "result", "length", "ship"),
        [
            (Sinking.SHIP, Result.SUNK, 2, TWO_SHIPS[0]),
            (Sinking.SIZE, Result.SUNK, 2, None),
            (Sinking.SUNK, Result.SUNK, None, None),
            (Sinking.NOTHING, Result.HIT, None, None),
        ],
    )
    def test_what_is_told_of_a_sinking(
        self, sinking: Sinking, result: Result, length: int | None, ship: Ship | None
    ) -> None:
        """The ship, its length, that one sank, or nothing; and of a repeat the same. The game
        itself knows the ship."""
        game = self.again(Repeat.SAID_SO, (0, 0), (1, 0), (1, 0), sinking=sinking)
        (last_hit,) = (shot for shot in game.shots if shot.result is Result.SUNK)
        assert (last_hit.sunk, last_hit.ship) == (2, TWO_SHIPS[0])
        assert told(game, game.shots.index(last_hit)) == (result, length, False)
        assert told(game) == (result, length, True)
        assert [game.view(seat).shots[-1].ship for seat in (0, 1)] == [ship, ship]

    def test_a_repeat_scores_nothing(self) -> None:
        """A hit that is shot at again is one point."""
        game = begun(small(goal=Goal.POINTS, round_limit=2))
        for seat in (0, 1, 0, 1):
            shoot(game, seat, (0, 0))
        assert game.outcome is not None
        assert game.outcome.scores == (1, 1)


class TestAllAtOnce:
    def begun(self, players: int = 2, **fields) -> Game:
        return begun(small(**{"turn": Turn.BOTH, **fields}), players)

    def test_answers_are_hidden_until_all_are_in(self) -> None:
        """The first answer of a round changes no view but that its seat has no shot due."""
        game = self.begun()
        before = game.view(0), game.view(1)
        shoot(game, 1, (0, 0))
        assert game.to_move == (0,)
        assert (game.view(0), game.view(1)) == (before[0], structs.replace(before[1], due=0))
        with pytest.raises(OutOfTurn):
            shoot(game, 1, (1, 0))

    def test_resolved_in_the_order_of_seats(self) -> None:
        """A round's shots are answered in the order of seats, not of answering."""
        game = self.begun(3)
        shoot(game, 2, SEA[0], at=0)
        shoot(game, 0, SEA[0], at=1)
        shoot(game, 1, SEA[0], at=2)
        assert [shot.seat for shot in game.shots] == [0, 1, 2]
        assert game.rounds == 1

    def test_both_fleets_in_one_round(self) -> None:
        """Two fleets destroyed in one round are a tie."""
        game = self.begun()
        for cell in SHIP_CELLS:
            shoot(game, 0, cell)
            shoot(game, 1, cell)
        assert end(game) == (None, None, T.FLEET_DESTROYED)
        assert game.rounds == 3

    def test_a_fresh_cell_shot_at_by_two(self) -> None:
        """Two seats may fire at one fresh cell in a round; the later's is a repeat, and legal."""
        game = self.begun(3, repeat=Repeat.ILLEGAL)
        shoot(game, 1, (0, 0), at=2)
        shoot(game, 2, SEA[0], at=0)
        shoot(game, 0, (0, 0), at=2)
        assert [shot.result for shot in game.shots] == [Result.HIT, Result.REPEAT, Result.MISS]
        assert told(game, 1) == (Result.HIT, None, True)

    def test_one_forfeit(self) -> None:
        """A forfeit is the round's answer: it is waited for the other, whose shot is lost."""
        game = self.begun()
        game.forfeit(0, T.TIMEOUT, "late")
        assert game.outcome is None
        shoot(game, 1, (0, 0))
        assert end(game) == (1, 0, T.TIMEOUT)
        assert game.shots == []

    def test_two_forfeits(self) -> None:
        """Both forfeit in one round: a tie, with the reasons in the order of seats."""
        game = self.begun()
        game.forfeit(1, T.TIMEOUT, "late")
        game.forfeit(0, T.CRASH, "fell over")
        assert end(game) == (None, None, T.BOTH_FAILED)
        assert game.outcome is not None
        assert game.outcome.detail == "fell over; late"

    def test_failing_together_waits_for_nobody(self) -> None:
        """Those who failed in one step are out, and no shot of that round counts."""
        game = self.begun(3)
        shoot(game, 0, (0, 0), at=1)
        game.forfeit_together([Gone(2, T.CRASH)])
        assert [(shot.seat, shot.target) for shot in game.shots] == [(0, 1)]
        assert game.to_move == (0, 1)
        game.forfeit_together([Gone(0, T.CRASH), Gone(1, T.TIMEOUT)])
        assert end(game) == (None, None, T.BOTH_FAILED)

    def test_a_forfeit_after_the_answer(self) -> None:
        """A forfeit takes the place of a shot that was already declared."""
        game = self.begun()
        shoot(game, 0, (0, 0))
        game.resign(0)
        shoot(game, 1, (0, 0))
        assert end(game) == (1, 0, T.RESIGNED)
        assert game.shots == []

    def test_a_forfeit_of_three(self) -> None:
        """If two or more are left after a round's forfeits, their shots count."""
        game = self.begun(3)
        game.forfeit(0, T.CRASH, "")
        shoot(game, 1, (0, 0), at=0)
        shoot(game, 2, (0, 0), at=1)
        assert [shot.result for shot in game.shots] == [Result.HIT, Result.HIT]
        assert game.to_move == (1, 2)

    def test_a_forfeit_is_final(self) -> None:
        """Who has forfeited in a round can neither shoot, nor leave, nor forfeit otherwise."""
        game = self.begun(may_return=True)
        game.forfeit(0, T.CRASH, "")
        for call in (lambda: shoot(game, 0, (0, 0)), lambda: game.leave(0), lambda: game.resign(0)):
            with pytest.raises(OutOfTurn):
                call()

    def test_leaving_takes_effect_at_once(self) -> None:
        """Who leaves is no longer waited for, and its answer is dropped."""
        game = self.begun(3, may_return=True)
        shoot(game, 0, (0, 0), at=1)
        shoot(game, 1, (0, 0), at=0)
        game.leave(0)
        assert game.shots == []
        game.leave(2)
        assert [shot.seat for shot in game.shots] == [1]

    def test_coming_back_is_for_the_next_round(self) -> None:
        """Who comes back in the middle of a round plays from the next one on."""
        game = self.begun(3, may_return=True)
        game.leave(2)
        game.come_back(2)
        assert game.to_move == (0, 1)
        shoot(game, 0, (0, 0), at=1)
        shoot(game, 1, (0, 0), at=0)
        assert game.to_move == (0, 1, 2)

    def test_a_round_that_all_have_left_is_none(self) -> None:
        """A round in which nobody stayed to answer does not count towards the limit."""
        game = self.begun(3, may_return=True, round_limit=1)
        game.leave(2)
        game.come_back(2)
        game.leave(0)
        game.leave(1)
        assert (game.rounds, game.to_move) == (0, (2,))

    def test_the_goal_comes_before_the_death_of_all(self) -> None:
        """A round that reaches the goal and leaves nothing to shoot at ends by the goal."""
        rules = {"columns": 2, "rows": 1, "fleet": (1,), "repeat": Repeat.ILLEGAL}
        game = begun(
            small(turn=Turn.BOTH, goal=Goal.POINTS, **rules), first=1, fleet=(across(1, 1, 0),)
        )
        for cell in [(0, 0), (1, 0)]:
            shoot(game, 0, cell)
            shoot(game, 1, cell)
        assert end(game) == (None, None, T.GOAL)
        assert game.rounds == 2

    def test_the_limit_of_rounds(self) -> None:
        """At the limit more ships afloat win, though both have a hit; the scores are the ships."""
        game = self.begun(round_limit=2)
        for mine, theirs in [((0, 1), (0, 0)), (SEA[0], SEA[0])]:
            shoot(game, 0, mine)
            shoot(game, 1, theirs)
        assert end(game) == (0, 1, T.ROUND_LIMIT)
        assert game.outcome is not None
        assert game.outcome.scores == (2, 1)

    def test_a_tie_at_the_limit(self) -> None:
        """At the limit as many ships afloat are a tie."""
        game = self.begun(round_limit=1)
        shoot(game, 0, (0, 0))
        shoot(game, 1, SEA[0])
        assert end(game) == (None, None, T.ROUND_LIMIT)

    def test_a_fleet_destroyed_in_the_last_round(self) -> None:
        """A fleet destroyed in the last round counts before the limit."""
        game = self.begun(round_limit=3)
        for number, cell in enumerate(SHIP_CELLS):
            shoot(game, 0, cell)
            shoot(game, 1, SEA[number])
        assert end(game) == (0, 1, T.FLEET_DESTROYED)


class TestPoints:
    def begun(self, players: int = 2, first: int = 0, **fields) -> Game:
        rules = {"goal": Goal.POINTS, "points": 2, "repeat": Repeat.ILLEGAL, **fields}
        return begun(small(**rules), players, first)

    def test_equal_turns(self) -> None:
        """The goal ends the game only when all have had as many turns."""
        game = self.begun(3, first=1)
        for number, cell in enumerate([(0, 0), (1, 0)]):
            shoot(game, 1, cell, at=2)
            shoot(game, 2, SEA[number], at=1)
            assert game.outcome is None
            shoot(game, 0, SEA[number], at=2)
        assert end(game) == (1, None, T.GOAL)
        assert game.outcome is not None
        assert game.outcome.scores == (0, 2, 0)

    def test_the_last_word(self) -> None:
        """Who moves later in the round may still draw level: a tie."""
        game = self.begun()
        for cell in [(0, 0), (1, 0)]:
            shoot(game, 0, cell)
            shoot(game, 1, cell)
        assert end(game) == (None, None, T.GOAL)

    def test_the_default_goal(self) -> None:
        """Without a number of points the goal is the cells of one fleet."""
        game = self.begun(3, points=None)
        for number, cell in enumerate(SHIP_CELLS):
            assert game.outcome is None
            shoot(game, 0, cell, at=1)
            shoot(game, 1, SEA[number], at=2)
            shoot(game, 2, SEA[number], at=1)
        assert end(game) == (0, None, T.GOAL)

    def test_nobody_is_out_for_having_no_ship(self) -> None:
        """A seat whose ships are all sunk goes on shooting, and can win."""
        game = self.begun(3, points=5, repeat=Repeat.OLD_ANSWER)
        for number, cell in enumerate(SHIP_CELLS):
            shoot(game, 0, cell, at=1)
            shoot(game, 1, SEA[number], at=0)
            shoot(game, 2, SEA[number], at=0)
        shoot(game, 0, SEA[0], at=1)
        assert game.to_move == (1,)
        assert shoot(game, 1, (0, 0), at=0) == [Result.HIT]

    def test_all_dead(self) -> None:
        """With no board left to hit for anybody present, the game is over at once, and the best
        of those present has won."""
        game = self.begun(3, points=9, may_return=True)
        for number, cell in enumerate(SHIP_CELLS):
            shoot(game, 0, cell, at=1)
            shoot(game, 1, SEA[number], at=0)
            shoot(game, 2, SEA[number], at=1)
        game.leave(2)
        assert game.outcome is None  # seat 1, all sunk, can still hit seat 0
        game.leave(0)
        assert end(game) == (1, None, T.ALL_DEAD)
        assert game.outcome is not None
        assert game.outcome.scores == (3, 0, 0)

    def test_all_dead_by_shots(self) -> None:
        """Two boards all hit end a game of two, within a round if need be."""
        game = self.begun(points=9)
        for cell in SHIP_CELLS[:2]:
            shoot(game, 0, cell)
            shoot(game, 1, cell)
        shoot(game, 0, SEA[0])
        shoot(game, 1, SHIP_CELLS[2])
        assert game.outcome is None
        shoot(game, 0, SHIP_CELLS[2])
        assert end(game) == (None, None, T.ALL_DEAD)

    def test_leaving_a_game_of_two(self) -> None:
        """In a game of two, leaving ends it: the board of who has left is dead."""
        game = self.begun(may_return=True, first=1)
        shoot(game, 1, (0, 0))
        game.leave(0)
        assert end(game) == (1, 0, T.ALL_DEAD)

    def test_leaving_does_not_end_a_game_of_three(self) -> None:
        """Leaving passes the turn; who has come back plays when its turn comes."""
        game = self.begun(3, may_return=True)
        game.leave(0)
        assert game.to_move == (1,)
        game.come_back(0)
        assert game.to_move == (1,)
        shoot(game, 1, (0, 0), at=2)
        shoot(game, 2, SEA[0], at=1)
        assert game.to_move == (0,)

    def test_points_of_who_has_left(self) -> None:
        """Points of a seat that has left neither reach the goal nor win."""
        game = self.begun(3, may_return=True, points=1)
        shoot(game, 0, (0, 0), at=1)
        game.leave(0)
        shoot(game, 1, SEA[0], at=2)
        shoot(game, 2, SEA[1], at=1)
        assert game.outcome is None
        game.come_back(0)
        shoot(game, 1, SEA[2], at=2)
        shoot(game, 2, SEA[3], at=1)
        assert end(game) == (0, None, T.GOAL)

    def test_the_best_of_those_present(self) -> None:
        """A seat that has left with as many points does not tie with one that is present."""
        game = self.begun(3, may_return=True, points=1)
        shoot(game, 0, (0, 0), at=1)
        game.leave(0)
        shoot(game, 1, (0, 0), at=2)
        shoot(game, 2, SEA[0], at=1)
        assert end(game) == (1, None, T.GOAL)

    def test_who_resigned_cannot_come_back(self) -> None:
        """Resigning is for good, also where who leaves may return."""
        game = self.begun(3, may_return=True)
        game.resign(2)
        with pytest.raises(OutOfTurn):
            game.come_back(2)
        game.leave(1)
        assert game.outcome is not None

    def test_a_forfeit_while_away(self) -> None:
        """Who forfeits while away is gone for good."""
        game = self.begun(4, may_return=True)
        game.leave(2)
        game.forfeit(2, T.TIMEOUT, "")
        with pytest.raises(OutOfTurn):
            game.come_back(2)
        assert game.outcome is None

    def test_a_skip_is_a_turn(self) -> None:
        """A skipped turn counts when turns are compared."""
        game = self.begun(points=1, may_skip=True)
        shoot(game, 0, (0, 0))
        game.skip(1)
        assert end(game) == (0, 1, T.GOAL)


class TestGoing:
    def test_resigning_out_of_turn(self) -> None:
        """A seat may resign when it is not up."""
        game = begun(BSP, fleet=fleet_of(BSP))
        assert game.to_move == (0,)
        game.resign(1)
        assert end(game) == (0, 1, T.RESIGNED)

    def test_the_turn_of_who_goes_passes(self) -> None:
        """When the seat that is up goes, the next one is up."""
        game = begun(small(), 3, first=1)
        game.resign(1)
        assert game.to_move == (2,)
        assert game.rounds == 0

    def test_leaving_where_none_may_return(self) -> None:
        """Leaving loses, by a name of its own, if those who leave may not return."""
        game = begun(small())
        game.leave(1)
        assert end(game) == (0, 1, T.LEFT)

    def test_the_last_fleet_afloat_after_a_resignation(self) -> None:
        """The last fleet afloat has won when one of three is sunk and another resigns."""
        game = begun(small(turn=Turn.HIT_AGAIN), 3)
        for cell in SHIP_CELLS:
            shoot(game, 0, cell, at=1)
        game.resign(2)
        assert end(game) == (0, None, T.FLEET_DESTROYED)

    def test_everyone_has_left(self) -> None:
        """With everyone away the game waits, and who comes back first is up at once."""
        game = begun(small(may_return=True))
        game.leave(1)
        assert game.to_move == (0,)
        game.leave(0)
        assert game.to_move == ()
        assert game.outcome is None
        game.come_back(1)
        assert game.to_move == (1,)

    def test_playing_alone(self) -> None:
        """With all others away, every turn of the one who is left is a round."""
        game = begun(small(may_return=True), 3)
        game.leave(0)
        game.leave(2)
        for number in range(3):
            assert (game.to_move, game.rounds) == ((1,), number)
            shoot(game, 1, SEA[number], at=0)

    def test_an_absent_fleet_can_be_sunk(self) -> None:
        """Who is away is still in the game: it is lost only by its fleet, or for good."""
        game = begun(small(turn=Turn.HIT_AGAIN, may_return=True))
        game.leave(1)
        for cell in SHIP_CELLS:
            assert game.outcome is None
            shoot(game, 0, cell)
        assert end(game) == (0, 1, T.FLEET_DESTROYED)
        game = begun(small(may_return=True))
        game.leave(1)
        game.resign(0)
        assert end(game) == (1, 0, T.RESIGNED)

    @pytest.mark.parametrize("call", ["resign", "leave", "come_back"])
    def test_nobody_goes_twice(self, call: str) -> None:
        """A seat that is gone for good, or not there, can neither go nor come back."""
        game = begun(small(may_return=True), 3)
        game.resign(2)
        for seat in (2, 3, -1):
            with pytest.raises(OutOfTurn):
                getattr(game, call)(seat)

    def test_the_events_of_going(self) -> None:
        """A forfeit is told with its reason, and the outcome is told last."""
        game = begun(small())
        gone, outcome = game.forfeit(1, T.CRASH, "killed by SIGSEGV")
        assert gone == Gone(1, T.CRASH, "killed by SIGSEGV")
        assert outcome == Outcome(0, 1, T.CRASH, "killed by SIGSEGV")

    def test_a_pass_over_the_first_ends_a_round(self) -> None:
        """Rounds are counted from the first mover on, and a turn that ends the game is not a
        round."""
        game = begun(small(turn=Turn.HIT_AGAIN), 3, first=2)
        for seat, rounds in [(2, 0), (0, 0), (1, 1), (2, 1)]:
            shoot(game, seat, SEA[seat + 3 * rounds], at=(seat + 1) % 3)
            assert game.rounds == rounds


def fleet_of(rules: Rules) -> Fleet:
    return random_fleet(rules, Random(0))


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


def another_fleet(rules: Rules, fleet: Fleet, shots: list[Cell], rng: Random) -> Fleet:
    """A fleet elsewhere that would have answered the same: each ship is moved if it can be."""
    same, fired = answers(fleet, shots), set(shots)
    for ship in rng.sample(fleet, len(fleet)):
        taken = frozenset(cell for other in fleet if other != ship for cell in squares(other))
        free = free_spots(rules, ship.length, taken)
        for moved in rng.sample(free, len(free)):
            elsewhere = squares(moved) != squares(ship)
            if elsewhere and squares(moved) & fired == squares(ship) & fired:
                new = tuple(moved if other == ship else other for other in fleet)
                if answers(new, shots) == same:
                    fleet = new
                    break
    return fleet


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


@examples(150)
@given(games(), st.integers(0, 2**32 - 1))
def test_a_view_does_not_change_with_unhit_cells(game: Game, seed: int) -> None:
    """A view stays the same when opponents' ships lie elsewhere and had answered the same."""
    rng, moved = Random(seed), 0
    placed = [fleet for seat in range(game.players) if (fleet := game.fleet(seat)) is not None]
    for seat in range(game.players):
        others = [
            fleet if other == seat else another_fleet(game.rules, fleet, shots_at(game, other), rng)
            for other, fleet in enumerate(placed)
        ]
        moved += others != placed
        again = replayed(game, others)
        assert again.view(seat) == game.view(seat)
        assert again.to_move == game.to_move
    event(f"another fleet found: {'for every seat' * (moved == game.players) or moved}")


def test_another_fleet_is_found_in_most_positions() -> None:
    """The law above is no empty one: in most positions of a game there is another fleet."""
    found = tried = 0
    for number, variant in enumerate(VARIANTS.values()):
        rng = Random(number)
        rules = variant.drawn(rng)
        game = Game(rules)
        for seat in range(2):
            game.place(seat, random_fleet(rules, rng))
        while game.to_move:
            fire(game, game.to_move[0], rng)
            fleet = game.fleet(1)
            if fleet is not None and game.outcome is None:
                tried += 1
                found += another_fleet(rules, fleet, shots_at(game, 1), rng) != fleet
    assert found / tried > 0.6, f"{found} of {tried}"


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
    """All legal fleets are equally likely, taken whole: the joint distribution is uniform."""
    rules = small(columns=columns, rows=rows, fleet=lengths)
    every = {tuple(map(squares, fleet)): 0 for fleet in every_fleet(rules)}
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
