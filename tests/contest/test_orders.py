"""Orders that are taken back: what is left in force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judge.contest.ledger.orders import Orders
from judge.documents.ledger import Disqualify, GivenOrder, Retire, Undo, Void

BOTS = st.sampled_from("abc")
GAMES = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)
ORDERS = (
    BOTS.map(lambda bot: Retire(bot=bot))
    | BOTS.map(lambda bot: Disqualify(bot=bot, reason="x"))
    | GAMES.map(lambda games: Void(games=games, reason="x"))
)


@given(st.data())
def test_what_is_taken_back_leaves_in_force_what_is_not(data: st.DataObject) -> None:
    """Those in force are as if they alone had been given, each bot and game with the number of the
    first; the same by entries of a journal, and by one undo after the other."""
    entries = data.draw(st.lists(ORDERS, max_size=20))
    numbers = range(1, len(entries) + 1)
    undone = data.draw(st.sets(st.sampled_from(numbers))) if entries else set()
    orders = Orders.of([*entries, *(Undo(order=number) for number in undone)])
    assert [one.undone for one in orders.given] == [number in undone for number in numbers]
    in_force = [(at, order) for at, order in enumerate(entries, 1) if at not in undone]
    for named, kind in (("retired", Retire), ("disqualified", Disqualify)):
        first = {one.bot: at for at, one in reversed(in_force) if isinstance(one, kind)}
        assert getattr(orders, named) == first
    assert orders.voided == {
        game: at for at, one in reversed(in_force) if isinstance(one, Void) for game in one.games
    }
    again = Orders([GivenOrder(order, undone=False) for order in entries])
    for number in undone:
        again = again.without(number)
    assert again == orders


def test_the_orders_without_one_leave_the_others_alone() -> None:
    """A question to them changes nothing."""
    orders = Orders.of([Retire(bot="a"), Retire(bot="a")])
    assert orders.without(1).retired == {"a": 2}
    assert orders.retired == {"a": 1}
