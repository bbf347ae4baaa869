"""Shards of a schedule: a partition of it."""

from hypothesis import given
from hypothesis import strategies as st

from judge.contest.formats.shard import MOST_SHARDS, Shard, numbered
from strategies import examples


@given(count=st.integers(0, 300), of=st.integers(1, 40))
@examples(60)
def test_shards_part_a_schedule(count: int, of: int) -> None:
    """Every game is in one shard, in the order of the schedule; each knows how many it has, and no
    two differ by more than one."""
    shards = [Shard(number, of) for number in range(1, of + 1)]
    parts = [list(shard.games(range(count))) for shard in shards]
    assert sorted(game for part in parts for game in part) == list(range(count))
    assert all(part == sorted(part) for part in parts)
    assert [len(part) for part in parts] == [shard.share(count) for shard in shards]
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    by_number = list(numbered(range(count), of))
    assert [[game for number, game in by_number if number == shard.number] for shard in shards] == (
        parts
    )


def test_no_place_of_a_round_stays_in_one_shard() -> None:
    """The bot that stays in place when a schedule goes round has games in every shard, though a
    round has as many blocks of games as make each begin with the same shard again."""
    rounds, of = 64, 8
    first = {
        number
        for place, (number, _) in enumerate(numbered(range(rounds * 64), of))
        if not place % 64
    }
    assert first == set(range(1, of + 1))


def test_a_shard_of_a_journal_is_one_that_there_can_be() -> None:
    """A number above that of all, or none, is refused."""
    for number, of in ((0, 8), (9, 8), (1, MOST_SHARDS + 1)):
        try:
            Shard.from_json({"number": number, "of": of})
        except ValueError:
            continue
        raise AssertionError((number, of))
    assert str(Shard.from_json({"number": 3, "of": 8})) == "3/8"
