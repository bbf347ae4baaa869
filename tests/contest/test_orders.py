"""Orders that are taken back: what is left in force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judge.contest.ledger.orders import Orders
from judge.documents.ledger import Disqualify, Retire, Void


@given(st.data())
def test_what_is_taken_back_leaves_in_force_what_is_not(data: st.DataObject) -> None:
    """After each order and each that is taken back, those in force are as if they alone had been
    given."""
    orders = Orders()
    for _ in range(data.draw(st.integers(0, 20))):
        open_ = [number for number, one in enumerate(orders.given, 1) if not one.undone]
        if open_ and data.draw(st.booleans()):
            orders.take_back(data.draw(st.sampled_from(open_)))
        else:
            bot = data.draw(st.sampled_from("abc"))
            games = tuple(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
            kinds = [
                Retire(bot=bot),
                Disqualify(bot=bot, reason="x"),
                Void(games=games, reason="x"),
            ]
            orders.give(data.draw(st.sampled_from(kinds)))
        for named, kind in (("retired", Retire), ("disqualified", Disqualify)):
            in_force = [
                (one.order.bot, number)
                for number, one in enumerate(orders.given, 1)
                if isinstance(one.order, kind) and not one.undone
            ]
            told = getattr(orders, named)
            assert {(bot, number) for bot, numbers in told.items() for number in numbers} == {
                *in_force
            }
            assert all(numbers == sorted(numbers) for numbers in told.values())
        voided = {
            game
            for one in orders.given
            if isinstance(one.order, Void) and not one.undone
            for game in one.order.games
        }
        assert orders.voided.keys() == voided


def test_the_orders_without_one_leave_the_others_alone() -> None:
    """A question to them changes nothing."""
    orders = Orders()
    orders.give(Retire(bot="a"))
    orders.give(Retire(bot="a"))
    assert orders.without(1).retired == {"a": [2]}
    assert orders.retired == {"a": [1, 2]}
