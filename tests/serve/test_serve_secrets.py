"""The messages to a client are the same for any two opposing fleets that gave the same answers."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from changes import replace
from halls import dealt, matchmaking, small, table, table_in, two
from judge.documents.rules import Cell, Fleet, Rules
from judge.game.fleets import random_fleet
from judge.game.variants import BSP, XBS
from judge.testing import squares
from judge.wire.bsp.notation import cell_text
from judge.wire.xbs.notation import board_text
from serving import Client, Serving, run
from strategies import examples

pytestmark = pytest.mark.whole

WIDE = replace(XBS, columns=8, rows=8, fleet=(4, 3, 2, 2), points=None)


def answer(fleet: Fleet, before: set[Cell], cell: Cell) -> str:
    """To a shot after others, where sinking is told."""
    for ship in fleet:
        if cell in squares(ship):
            return "sunk" if squares(ship) <= before | {cell} else "hit"
    return "miss"


def alike(rules: Rules, luck: Random, most: int) -> tuple[Fleet, Fleet, list[Cell], set[str]]:
    """Two fleets, shots that both answer in the same way, and these answers: some of their ships
    are the same, so that there are hits, and some of them sink."""
    one = random_fleet(rules, luck)
    kept = luck.sample(range(len(one)), len(one) // 2)
    other = one
    while other == one:
        drawn = random_fleet(rules, luck)
        mixed = tuple(one[i] if i in kept else drawn[i] for i in range(len(one)))
        cells = [cell for ship in mixed for cell in squares(ship)]
        other = mixed if len(set(cells)) == len(cells) else one
    every = [Cell(c, r) for c in range(rules.columns) for r in range(rules.rows)]
    likely = [cell for i in kept for cell in squares(one[i])]
    shots: list[Cell] = []
    answers: set[str] = set()
    for cell in [*likely, *luck.sample(every, len(every))]:
        said = answer(one, set(shots), cell)
        if len(shots) < most and cell not in shots and said == answer(other, set(shots), cell):
            shots.append(cell)
            answers.add(said)
    luck.shuffle(shots)
    order: list[Cell] = []
    for cell in shots:  # what sinks now is another shot, and must sink in both
        if answer(one, set(order), cell) == answer(other, set(order), cell):
            order.append(cell)
    return one, other, order, answers


@given(st.integers(0, 2**32))
@examples(15)
def test_bytes_of_bsp_do_not_tell_of_the_other_fleet(seed: int) -> None:
    """With misses, hits, sinkings and a shot that is repeated."""
    luck = Random(seed)
    own = random_fleet(BSP, luck)
    one, other, shots, answers = alike(BSP, luck, 20)
    for said in answers:
        event(said)

    async def sent(fleet: Fleet) -> str:
        async with Serving(matchmaking(dealt(fleets=(own, fleet)))) as serving:
            a, b = await two(serving)
            heard = []
            for cell in [*shots, shots[0]]:
                await a.say(f"SHOT {cell_text(cell)}\n")
                await b.lines(2)
                await b.say(f"SHOT {cell_text(cell)}\n")
                heard += await a.lines(4)
                await b.lines(2)
            await b.say("SURRENDER\n")
            return "\n".join([*heard, await a.rest()])

    assert "HIT" in (first := run(sent(one)))
    assert "SUNK" in first
    assert first == run(sent(other))


@given(st.integers(0, 2**32))
@examples(15)
def test_bytes_of_xbs_do_not_tell_of_another_fleet(seed: int) -> None:
    """At a table of three: with misses, hits, a square that was shot before, and a player that
    leaves and comes back, to whom all boards are told again."""
    luck = Random(seed)
    boards = {name: board_text(random_fleet(WIDE, luck), WIDE, "ABCD") for name in ("ann", "cat")}
    one, other, shots, _ = alike(WIDE, luck, 12)
    left_after = luck.randrange(1, len(shots))

    async def sent(fleet: Fleet) -> str:
        """All that ann is sent, over both of her connections."""
        every = boards | {"bob": board_text(fleet, WIDE, "ABCD")}
        options = replace(small(3), rules=WIDE, letters="ABCD")
        async with Serving(table(options, "ann", "bob", "cat")) as serving:
            hall = table_in(serving)
            seats: dict[str, Client] = {}
            heard: list[str] = []
            for name in ("ann", "bob", "cat"):
                seats[name] = await serving.connect()
                await seats[name].say(f"J|{name}|{every[name]}\n")
                await serving.until(lambda name=name: name in [one.name for one in hall.places])
            for number, cell in enumerate(shots):
                square = f"{cell.column + 1}|{cell.row + 1}"
                if number == left_after:
                    seats["ann"].end()
                    heard.append(await seats["ann"].rest())
                    seats["ann"] = await serving.connect()
                    await seats["ann"].say(f"J|ann|{every['ann']}\n")
                    await serving.until(lambda: hall.places[0].client is not None)
                for name, target in (("ann", "bob"), ("bob", "cat"), ("cat", "bob")):
                    await seats[name].say(f"S|{target}|{square}\n")
                    await serving.read(seats[name])
                hall.skip("ann has shot there before")
            await seats["bob"].say("L|bye\n")
            await serving.read(seats["bob"])
            seats["ann"].end()
            heard.append(await seats["ann"].rest())
            return "".join(heard)

    first = run(sent(one))
    assert "H|ann|bob|" in first
    assert "Y|" in first
    assert first == run(sent(other))
