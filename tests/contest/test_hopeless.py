"""Which games are put off for bots that forfeit game after game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from judge.contest.deferrals import IN_A_ROW, Deferrals
from judge.contest.schedule import Pairing
from judge.game.variants import BRAINJAR
from round_robin import RoundRobin

NAMES = ("ada", "bob", "cyd", "dan")
ROUNDS = 4
GAMES = [*RoundRobin(NAMES, BRAINJAR, 1, ROUNDS)]


class Contest:
    """A contest in which a bot forfeits each game that its own plan says; ``window`` games are under
    way at once, and every one is over only when it is looked at."""

    def __init__(self, plans: dict[str, Sequence[bool]], window: int, *, insist: bool = False):
        self.rows: Counter[str] = Counter()
        self.added: list[str] = []
        self.played = 0
        self._plans = plans
        self.hopeless = Deferrals(self.rows.__getitem__, self._missing, insist=insist)
        left = iter(GAMES)
        under_way: list[Pairing] = []
        while True:
            for pairing in left:
                if self.hopeless.concerns(pairing.names):
                    continue
                self.played += 1
                under_way.append(pairing)
                if len(under_way) == window:
                    break
            if not under_way:
                return
            self._take(under_way.pop(0))

    def _missing(self, name: str) -> list[Pairing]:
        return [one for one in GAMES if name in one.names and one.id not in self.added]

    def _take(self, pairing: Pairing) -> None:
        if self.hopeless.concerns(pairing.names):
            return
        self.added.append(pairing.id)
        number = GAMES.index(pairing)
        forfeiting = [name for name in pairing.names if self._plans[name][number]]
        for name in pairing.names:
            self.rows[name] = self.rows[name] + 1 if forfeiting[:1] == [name] else 0
        list(self.hopeless.look(pairing.names))


PLANS = st.fixed_dictionaries(
    {name: st.lists(st.booleans(), min_size=len(GAMES), max_size=len(GAMES)) for name in NAMES}
)


@given(PLANS, st.integers(1, len(GAMES)))
def test_what_is_put_off_does_not_depend_on_how_many_games_are_played_at_once(
    plans: dict[str, list[bool]], window: int
) -> None:
    """The same games are added, in the same order, as when one is played at a time."""
    one, several = Contest(plans, 1), Contest(plans, window)
    assert several.added == one.added
    assert several.hopeless.bots == one.hopeless.bots
    assert one.played == len(one.added)


def test_a_bot_that_always_forfeits_plays_five_games() -> None:
    """Its others are put off, and counted; all others are played."""
    plans = {name: [name == "bob"] * len(GAMES) for name in NAMES}
    contest = Contest(plans, 3)
    (bob,) = contest.hopeless.bots
    assert (bob.name, bob.row, bob.games) == ("bob", IN_A_ROW, 2 * 3 * ROUNDS - IN_A_ROW)
    assert len(contest.added) + bob.games == len(GAMES)


def test_games_of_two_such_bots_are_put_off_for_one_of_them() -> None:
    """So that the numbers add up to those of the games that are left."""
    plans = {name: [name in ("bob", "cyd")] * len(GAMES) for name in NAMES}
    contest = Contest(plans, 1)
    assert {one.name for one in contest.hopeless.bots} == {"bob", "cyd"}
    assert len(contest.added) + sum(one.games for one in contest.hopeless.bots) == len(GAMES)


def test_who_insists_plays_all() -> None:
    """And nobody is called hopeless."""
    plans = {name: [name == "bob"] * len(GAMES) for name in NAMES}
    contest = Contest(plans, 3, insist=True)
    assert (len(contest.added), contest.hopeless.bots) == (len(GAMES), [])


def test_a_contest_without_an_end_has_always_a_game_to_put_off() -> None:
    """Although none is drawn of those of a bot that has met everybody."""
    for is_endless in (False, True):
        deferrals = Deferrals(lambda _: IN_A_ROW, lambda _: (), is_endless=is_endless)
        assert [one.name for one in deferrals.look(["ada"])] == ["ada"] * is_endless
        assert [*deferrals.look(["ada"])] == []
