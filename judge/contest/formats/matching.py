"""Pairs players so that as few pairs as possible have met before. Pure.

The least number of such pairs comes from a largest matching of players that have not met (Edmonds,
"Paths, trees, and flowers", 1965). Among the pairings with this least number, the highest player is
paired with the nearest possible player, then the next highest, and so on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence

Met = Mapping[tuple[str, str], int]
"""The number of times that two players have met, by their names in sorted order."""


class Matcher:
    """Pairs an even number of players, given from the highest to the lowest.

    ``again`` is the least number of pairs that have to meet again. If all players have met each
    other, a pair that has met as rarely as any does not count as meeting again.
    """

    def __init__(self, players: Sequence[str], met: Met) -> None:
        self._players = list(players)
        count = len(self._players)
        number = {player: at for at, player in enumerate(players)}
        self._met: list[dict[int, int]] = [{} for _ in players]
        for couple, times in met.items():
            if times and number.keys() >= set(couple):
                first, second = (number[player] for player in couple)
                self._met[first][second] = self._met[second][first] = times
        self._fewest = 0
        if all(len(others) == count - 1 for others in self._met):
            self._fewest = min(
                (times for others in self._met for times in others.values()), default=0
            )
        self._near = [
            [
                other
                for other in range(count)
                if others.get(other, 0) == self._fewest and other != one
            ]
            for one, others in enumerate(self._met)
        ]
        self._left = set(range(count))
        self._mates: dict[int, int] = {}
        for one in range(count):  # most mates are found without a search
            if one not in self._mates:
                for other in self._near[one]:
                    if other not in self._mates:
                        self._mates[one], self._mates[other] = other, one
                        break
        self._enlarge()
        self.again = (count - len(self._mates)) // 2

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs. May be called only once."""
        found = []
        for one in range(len(self._players)):
            if one in self._left:
                other = self._partner(one)
                found.append((self._players[one], self._players[other]))
        return found

    def _partner(self, one: int) -> int:
        for other, is_again in self._partners(one):
            if self._take(one, other, is_again=is_again):
                return other
        raise AssertionError("some partner leaves the rest as well paired as it can be")

    def _partners(self, one: int) -> Iterator[tuple[int, bool]]:
        """The players that are left, the best partner first; with each, whether the two meet
        again."""
        near = self._near[one]
        yield from ((other, False) for other in near if other in self._left)
        met = self._met[one]
        others = self._left.difference(near, [one])
        for other in sorted(others, key=lambda other: (met.get(other, 0), other)):
            yield other, True

    def _take(self, one: int, other: int, *, is_again: bool) -> bool:
        """Pair these two if that causes no more repeated meetings than necessary. Return whether it
        did."""
        first, second = self._mates.get(one), self._mates.get(other)
        if first == other:  # the rest stays matched as it is
            self._left -= {one, other}
            del self._mates[one], self._mates[other]
            return True
        if not (is_again or first is None or second is None) and self._is_near(first, second):
            self._left -= {one, other}
            del self._mates[one], self._mates[other]
            self._mates[first], self._mates[second] = second, first
            return True
        before = dict(self._mates)
        self._left -= {one, other}
        for player in (one, other):
            mate = self._mates.pop(player, None)
            if mate is not None:
                self._mates.pop(mate)
        room = self.again - is_again
        if room >= 0:
            if len(self._left) - len(self._mates) > 2 * room:
                self._enlarge()
            if len(self._left) - len(self._mates) <= 2 * room:
                self.again = room
                return True
        self._left |= {one, other}
        self._mates = before
        return False

    def _is_near(self, one: int, other: int) -> bool:
        """Whether two players may be matched because they would not meet again."""
        return one != other and self._met[one].get(other, 0) == self._fewest

    def _enlarge(self) -> None:
        """Make the matching of the players that are left as large as possible."""
        for root in sorted(self._left):
            if root not in self._mates:
                self._augment(root)

    def _augment(self, root: int) -> None:
        """Find a path from the unmatched player ``root`` to another unmatched player on which every
        second edge is matched. Match the other edges of the path instead. A blossom, an odd ring,
        is handled as one player."""
        parent: dict[int, int] = {}
        base = {player: player for player in self._left}
        used, queue = {root}, deque([root])
        while queue:
            at = queue.popleft()
            for to in self._near[at]:
                if to not in self._left or base[at] == base[to] or self._mates.get(at) == to:
                    continue
                if to == root or (to in self._mates and self._mates[to] in parent):
                    ring = self._ring(at, to, base, parent, root)
                    for player in self._left:
                        if base[player] in ring[1]:
                            base[player] = ring[0]
                            if player not in used:
                                used.add(player)
                                queue.append(player)
                elif to not in parent:
                    parent[to] = at
                    if to not in self._mates:
                        self._flip(to, parent)
                        return
                    mate = self._mates[to]
                    used.add(mate)
                    queue.append(mate)

    def _ring(
        self, one: int, other: int, base: dict[int, int], parent: dict[int, int], root: int
    ) -> tuple[int, Collection[int]]:
        """The base of the blossom that the edge between two players closes, and all bases in the
        blossom."""
        above, at = {base[root]}, base[one]
        while at != base[root]:
            above.add(at)
            at = base[parent[self._mates[at]]]
        top = base[other]
        while top not in above:
            top = base[parent[self._mates[top]]]
        inside: set[int] = set()
        for start, across in ((one, other), (other, one)):
            at, child = start, across
            while base[at] != top:
                mate = self._mates[at]
                inside |= {base[at], base[mate]}
                parent[at] = child
                child, at = mate, parent[mate]
        return top, inside

    def _flip(self, end: int, parent: dict[int, int]) -> None:
        at: int | None = end
        while at is not None:
            before = parent[at]
            following = self._mates.get(before)
            self._mates[at], self._mates[before] = before, at
            at = following
