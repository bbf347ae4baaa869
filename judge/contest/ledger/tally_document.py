"""The ``ledger`` document, X.json: a tally written down, read back, and held to what it must be.

A document may be a stranger's, and has to add up before anything is counted on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from judge import schemas
from judge.contest.journal.orders import Order, Orders
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.group_tally import PAIR_ROW as GROUP_ROW
from judge.contest.ledger.group_tally import from_json as group_from_json
from judge.contest.ledger.group_tally import head as group_head
from judge.contest.ledger.group_tally import problem as group_problem
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import BotTally, PairTally, Stint, Table
from judge.contest.seeds import parsed
from judge.contest.standings import match_rows
from judge.contest.standings.description import NOTHING, Description
from judge.contest.standings.match_rows import MOST, are_counts
from judge.documents.codec import DocumentError, builtins, convert
from judge.documents.game import FORFEITS, Limits
from judge.documents.rules import Rules

if TYPE_CHECKING:
    from judge.contest.formats.kept import KeptContest

VERSION = 1


def to_json(tally: Tally) -> dict[str, Any]:
    """The document of a tally that knows no order which it has not passed."""
    tables = [
        {
            **_table_head(table),
            "pairs": [*map(json.loads, _rows(table))],
            **({"groups": [*map(json.loads, _groups(table))]} if table.groups else {}),
        }
        for table in tally.tables.values()
    ]
    contest = _contest(tally)
    if contest is not None:
        contest["units"] = [*map(json.loads, _units(tally))]
    return {**_head(tally), **({} if contest is None else {"contest": contest}), "tables": tables}


def text_of(tally: Tally) -> str:
    """The same as JSON; raises ValueError with the reason if that would be no valid document. What
    it adds up to is not looked at: the tally has added it up."""
    head, tables = _head(tally), [_table_head(table) for table in tally.tables.values()]
    contest = _contest(tally)
    shown = {**head, "tables": [{**table, "pairs": []} for table in tables]}
    for one, table in zip(shown["tables"], tally.tables.values(), strict=True):
        if table.groups:
            one["groups"] = [
                {**group_head(key, group), "pairs": []} for key, group in table.groups.items()
            ]
    if contest is not None:
        shown["contest"] = {**contest, "units": []}
    if why := schemas.problem("ledger", _shortened(shown)):
        raise ValueError(why)
    texts = ",".join(
        f'{_dumps(document)[:-1]},"pairs":[{",".join(_rows(table))}]{_written_groups(table)}}}'
        for document, table in zip(tables, tally.tables.values(), strict=True)
    )
    units = ""
    if contest is not None:
        units = f',"contest":{_dumps(contest)[:-1]},"units":[{",".join(_units(tally))}]}}'
    return f'{_dumps(head)[:-1]}{units},"tables":[{texts}]}}'


def from_json(document: Mapping[str, Any]) -> Tally:
    """Read a document in which `problem` finds none."""
    orders = [Order.from_json(order) for order in document["orders"]]
    tables = [_table_from_json(table) for table in document["tables"]]
    return Tally(
        seed=None if document["seed"] is None else parsed(document["seed"]),
        contest=_contest_from_json(document) if "contest" in document else None,
        description=Description.from_json(document["description"])
        if "description" in document
        else NOTHING,
        recorded=document["recorded"],
        last=document["last"],
        notes=document["notes"],
        orders=Orders(orders, passed=len(orders)),
        versions={
            name: {digest: number for number, digest in enumerate(digests, 1)}
            for name, digests in document["versions"].items()
        },
        tables={table.conditions: table for table in tables},
    )


def _head(tally: Tally) -> dict[str, Any]:
    assert tally.orders.passed == len(tally.orders.given), "an order is known beforehand"
    return {
        "version": VERSION,
        "kind": "ledger",
        "seed": None if tally.seed is None else str(tally.seed),
        "recorded": tally.recorded,
        "last": tally.last,
        "notes": tally.notes,
        "orders": [order.to_json() for order in tally.orders.given],
        "versions": {name: list(digests) for name, digests in tally.versions.items()},
        **({} if tally.description == NOTHING else {"description": tally.description.to_json()}),
    }


def _contest(tally: Tally) -> dict[str, Any] | None:
    """The contest without its units; None where it is held in rounds."""
    return None if tally.contest is None else tally.contest.to_json()


def _units(tally: Tally) -> Iterator[str]:
    """The rows of its units. Those that have not changed are not written anew."""
    return iter(()) if tally.contest is None else tally.contest.rows(tally.versions)


def _table_head(table: Table) -> dict[str, Any]:
    numbers = {name: number for number, name in enumerate(table.bots)}
    return {
        "rules": builtins(table.conditions.rules),
        "limits": builtins(table.conditions.limits),
        "games": table.games,
        "void": table.void,
        "voided": table.voided,
        "disqualified": table.disqualified,
        "bots": [
            {"name": bot.name, "points": bot.points, "version": bot.version}
            for bot in table.bots.values()
        ],
        "stints": [
            [
                numbers[stint.name],
                stint.version,
                stint.life,
                stint.won,
                stint.lost,
                stint.tied,
                stint.played_out,
                stint.shots_to_win,
                stint.volleys_to_win,
                stint.streak,
                dict(sorted(stint.forfeits.items())),
            ]
            for stint in table.stints
        ],
        **({"matches": match_rows.to_json(table)} if table.counts_matches else {}),
    }


def _rows(table: Table) -> list[str]:
    """The rows of the pairs. Those that have not changed are not written anew."""
    return [pair.text or pair.write(one, other) for (one, other), pair in table.pairs.items()]


def _groups(table: Table) -> Iterator[str]:
    """The games of more than two players, in one object for as many seats."""
    for key, group in table.groups.items():
        yield f'{_dumps(group_head(key, group))[:-1]},"pairs":[{",".join(group.rows())}]}}'


def _written_groups(table: Table) -> str:
    return f',"groups":[{",".join(_groups(table))}]' if table.groups else ""


def _table_from_json(document: Mapping[str, Any]) -> Table:
    bots = [BotTally(bot["name"], bot["version"], bot["points"]) for bot in document["bots"]]
    return Table(
        _conditions(document),
        document["games"],
        document["void"],
        document["voided"],
        document["disqualified"],
        {bot.name: bot for bot in bots},
        [
            Stint(bots[bot].name, *rest, *of_games)
            for (bot, *rest), of_games in zip(
                document["stints"], match_rows.games(document), strict=True
            )
        ],
        {
            (one, other): PairTally(won, lost, tied)
            for one, other, won, lost, tied in document["pairs"]
        },
        match_rows.open_matches(document),
        groups=dict(map(group_from_json, document.get("groups", ()))),
    )


def _conditions(document: Mapping[str, Any]) -> ConditionSet:
    """Raises `DocumentError` for rules by which no game can be played."""
    return ConditionSet(
        convert(Rules, document["rules"], "$.rules"),
        convert(Limits, document["limits"], "$.limits"),
    )


def _dumps(document: Any) -> str:
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


# What keeps a document from being one


def problem(document: Any) -> str | None:
    """What keeps a document from being a ``ledger`` that adds up, in one sentence."""
    # The schema would take seconds for the pairs of 1,000 versions. What it is not shown is looked
    # at number by number.
    if why := schemas.problem("ledger", _shortened(document)):
        return why
    return _sums(document)


def _shortened(document: Any) -> Any:
    """A document with one row of each long list, for the schema."""
    if not isinstance(document, dict):
        return document
    long = {"orders": ("games",), "tables": ("stints", "pairs")}
    if isinstance(document.get("tables"), list):
        document = {**document, "tables": [*map(_matches_shortened, document["tables"])]}
    if isinstance(document.get("contest"), dict):
        document = {**document, "contest": _first_rows(document["contest"], ["units"])}
    return {
        name: [_first_rows(one, long[name]) for one in value]
        if name in long and isinstance(value, list)
        else value
        for name, value in document.items()
    }


def _matches_shortened(table: Any) -> Any:
    if not isinstance(table, dict) or "matches" not in table:
        return table
    return {**table, "matches": _first_rows(table["matches"], ("games", "open"))}


def _first_rows(document: Any, long: Iterable[str]) -> Any:
    if not isinstance(document, dict):
        return document
    shown = {name: document[name][:1] for name in long if isinstance(document.get(name), list)}
    if isinstance(groups := document.get("groups"), list):
        shown["groups"] = [_first_rows(group, ["pairs"]) for group in groups]
    return {**document, **shown}


def _sums(document: Mapping[str, Any]) -> str | None:
    recorded = document["recorded"]
    for number, order in enumerate(document["orders"], 1):
        if not are_counts(order.get("games", ()), recorded):
            return f"orders: order {number} voids games that are none"
    for name, digests in document["versions"].items():
        if len(set(digests)) != len(digests):
            return f"versions: {name} has one of them twice"
    conditions = set()
    for table in document["tables"]:
        versions = document["versions"]
        if why := _table_sums(table, versions) or match_rows.problem(table, versions):
            return why
        try:
            conditions.add(_conditions(table))
        except DocumentError as error:
            return f"tables: {error}"
    if why := _contest_problem(document):
        return f"contest: {why}"
    if len(conditions) != len(document["tables"]):
        return "tables: two are of the same conditions"
    kinds = ("games", "void", "voided", "disqualified")
    counted = sum(table[kind] for table in document["tables"] for kind in kinds)
    if recorded != counted + sum(map(match_rows.unfinished, document["tables"])):
        return "recorded: they are not as many as the tables have"
    if (document["last"] is None) != (recorded == 0):
        return "last: it does not go with the number of recorded games"
    return None


def _contest_from_json(document: Mapping[str, Any]) -> KeptContest:
    # Here, so that who holds no contest loads none of the formats.
    from judge.contest.formats import kept

    return kept.from_json(document["contest"], list(document["versions"]))


def _contest_problem(document: Mapping[str, Any]) -> str | None:
    if "contest" not in document:
        return None
    from judge.contest.formats.kept import ROW

    versions = [len(digests) for digests in document["versions"].values()]
    for number, row in enumerate(document["contest"]["units"]):
        if not (
            isinstance(row, list)
            and len(row) == ROW
            and are_counts(row, MOST, least=0)
            and max(row[:2]) < len(versions)
            and row[0] != row[1]
            and all(1 <= row[3 + at] <= versions[row[at]] for at in (0, 1))
        ):
            return f"units[{number}]: {str(row)[:80]} is not a unit of two of the bots"
    try:
        _contest_from_json(document)
    except ValueError as error:
        return str(error)
    return None


def _table_sums(table: Mapping[str, Any], versions: Mapping[str, Any]) -> str | None:
    bots = table["bots"]
    names = [bot["name"] for bot in bots]
    if len(set(names)) != len(names):
        return "two bots have one name"
    for bot in bots:
        if bot["version"] > len(versions.get(bot["name"], ())):
            return f"versions: {bot['name']} has not so many"
    seen = set()
    for number, row in enumerate(table["stints"]):
        if not _is_stint(row, names, versions):
            return f"stints[{number}]: {str(row)[:80]} is not a stint of one of the bots"
        seen.add(tuple(row[:3]))
    if len(seen) != len(table["stints"]):
        return "stints: one is there twice"
    return _pair_sums(table, [names[row[0]] for row in table["stints"]])


def _is_stint(row: Any, names: list[str], versions: Mapping[str, Any]) -> bool:
    if not isinstance(row, list) or len(row) != 11 or not are_counts(row[:10], MOST, least=0):
        return False
    bot, version, forfeits = row[0], row[1], row[10]
    return (
        bot < len(names)
        and 1 <= version <= len(versions[names[bot]])
        and isinstance(forfeits, dict)
        and forfeits.keys() <= _CAUSES
        and are_counts(forfeits.values(), MOST)
    )


def _pair_sums(table: Mapping[str, Any], names: list[str]) -> str | None:
    stints, pairs = table["stints"], table["pairs"]
    # All at once, which is quick; one by one to find the one that is none.
    if not _are_rows(pairs):
        number = next(at for at, pair in enumerate(pairs) if not _are_rows([pair]))
        return f"pairs[{number}]: {str(pairs[number])[:80]} is not two stints and three counts"
    won, lost, tied = ([0] * len(stints) for _ in range(3))
    seen = set()
    for number, (one, other, wins, losses, ties) in enumerate(pairs):
        if not max(one, other) < len(stints) or names[one] == names[other]:
            return f"pairs[{number}]: {str(pairs[number])[:80]} is not two stints of two bots"
        seen.add((one, other) if one < other else (other, one))
        won[one] += wins
        lost[one] += losses
        tied[one] += ties
        won[other] += losses
        lost[other] += wins
        tied[other] += ties
    if len(seen) != len(pairs):
        return "pairs: two stints are there twice"
    groups = table.get("groups", ())
    left = []  # of the games of each stint
    for row, name, *totals in zip(stints, names, won, lost, tied, strict=True):
        left.append([count - total for count, total in zip(row[3:6], totals, strict=True)])
        if min(left[-1]) < 0 or (not groups and any(left[-1])):
            return f"the pairs give {name} other games than its own counts"
    for at, group in enumerate(groups):
        if not _are_rows(group["pairs"], GROUP_ROW):
            return f"groups[{at}]: a pair is not two stints and five counts"
    if why := group_problem(groups, names, left):
        return why
    if "matches" in table:
        return None
    if 2 * (table["games"] - sum(group["games"] for group in groups)) != sum(
        chain(won, lost, tied)
    ):
        return "games: they are not as many as the pairs have"
    return None


def _are_rows(pairs: list[Any], numbers: int = 5) -> bool:
    return (
        set(map(type, pairs)) <= {list}
        and set(map(len, pairs)) <= {numbers}
        and are_counts(chain.from_iterable(pairs), MOST, least=0)
    )


_CAUSES = frozenset(cause.value for cause in FORFEITS)
