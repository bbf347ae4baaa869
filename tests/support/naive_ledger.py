"""A naive fold of a journal, written from the text of the rules alone, to disagree with.

It shares no code with `judge`. It reads the whole journal at every question, in three passes: which
orders are in force, which games count, and then game by game.
"""

from __future__ import annotations

ORDERS = ("void", "reset", "retire", "disqualify")
FORFEITS = (
    "bad-output",
    "illegal-fleet",
    "illegal-move",
    "timeout",
    "crash",
    "left",
    "resigned",
)


def games_in(journal):
    """The games, each with its number, from 1."""
    return list(enumerate([entry for entry in journal if "kind" not in entry], 1))


def orders_in(journal):
    """The orders, each with whether it is in force; an undo takes back the order of its number."""
    orders = [entry for entry in journal if entry.get("kind") in ORDERS]
    undone = {entry["order"] for entry in journal if entry.get("kind") == "undo"}
    return [(order, number not in undone) for number, order in enumerate(orders, 1)]


def voided(journal):
    """The numbers of void games."""
    voids = [o for o, in_force in orders_in(journal) if in_force and o["kind"] == "void"]
    return {number for order in voids for number in order["games"]}


def bots_under(kind, journal):
    return {o["bot"] for o, in_force in orders_in(journal) if in_force and o["kind"] == kind}


def names_of(game):
    return [seat["name"] for seat in game["seats"]]


def version(journal, name, digest, at):
    """Which version of a bot plays the game at a place in the journal. A version begins with other
    files, or with a reset that is in force, and is counted with its first game, whether that counts or
    not."""
    in_force = [order for order, holds in orders_in(journal) if holds]
    seen, before = [], 0
    for entry in journal[: at + 1]:
        if entry.get("kind") == "reset" and entry["bot"] == name:
            if any(entry is order for order in in_force):
                before = len(seen)
        elif "kind" not in entry:
            for seat in entry["seats"]:
                if seat["name"] == name and seat["digest"] not in seen[before:]:
                    seen.append(seat["digest"])
    return seen.index(digest, before) + 1


def forfeits_of(game):
    """Seat by seat, how it forfeited, if it did."""
    found = {seat: what for _, seat, what, *_ in game["incidents"] if what in FORFEITS}
    ended = game["outcome"]
    if ended["termination"] in FORFEITS and ended["loser"] is not None:
        found.setdefault(ended["loser"], ended["termination"])
    return found


def table(journal):
    """The counts, the points, the versions' results and the pairs of them."""
    out, gone = voided(journal), bots_under("disqualify", journal)
    in_force = [order for order, holds in orders_in(journal) if holds]
    found = (
        {"games": 0, "void": 0, "voided": 0, "disqualified": 0}
        | {"points": {}, "last": {}, "stints": {}, "pairs": {}, "open": {}}
        | {"groups": {}, "of_groups": {}}
    )
    number = 0
    for at, entry in enumerate(journal):
        is_order = any(entry is order for order in in_force)
        if entry.get("kind") == "reset" and is_order and entry["bot"] in found["points"]:
            found["points"][entry["bot"]] = 10.0
        if "kind" in entry:
            continue
        number += 1
        names = names_of(entry)
        if number in out:
            found["voided"] += 1
        elif set(names) & gone:
            found["disqualified"] += 1
        else:
            play(journal, at, entry, found)
    return found


def play(journal, at, game, table):
    """A game that no order takes out of the count."""
    names = names_of(game)
    stints = [
        (seat["name"], version(journal, seat["name"], seat["digest"], at)) for seat in game["seats"]
    ]
    forfeits, ended = forfeits_of(game), game["outcome"]
    rated = game.get("rated", True) and ended["termination"] not in ("void", "aborted")
    for seat, stint in enumerate(stints):
        results = table["stints"].setdefault(
            stint,
            {"won": 0, "lost": 0, "tied": 0, "forfeits": {}, "wins": [], "streak": 0}
            | {"games": [0, 0, 0]},
        )
        table["points"].setdefault(stint[0], 10.0)
        table["last"][stint[0]] = stint[1]
        how = forfeits.get(seat)
        if how is not None:
            results["forfeits"][how] = results["forfeits"].get(how, 0) + 1
        if how in ("timeout", "crash"):
            results["streak"] += 1
        elif rated:
            results["streak"] = 0
    if ended["termination"] not in FORFEITS and rated and ended["winner"] is not None:
        won = ended["winner"]
        fired = [shot for shot in game["shots"] if shot[0] == won]
        table["stints"][stints[won]]["wins"].append(len(fired))
    if len(names) > 2:
        play_group(game, table, stints, forfeits)
        return
    match = game.get("match")
    if match is None or match["games"] == 1 or game["rules"].get("match", 1) == 1:
        count_unit([game], stints, table, is_match=False)
        return
    of = match["id"], frozenset(stints)
    games = table["open"].setdefault(of, [])
    games.append(game)
    if len(games) >= match["games"] or any(forfeits_of(one) for one in games):
        del table["open"][of]
        count_unit(games, stints, table, is_match=True)


def count_unit(games, stints, table, *, is_match):
    """A game by itself, or all games of a match."""
    names = [stint[0] for stint in stints]
    counted = [one for one in games if result_of(one, names[0]) is not None]
    table["void"] += len(games) - len(counted)
    table["games"] += len(counted)
    for name, stint in zip(names, stints, strict=True):
        for one in counted:
            at = ("won", "lost", "tied").index(result_of(one, name))
            table["stints"][stint]["games"][at] += 1
    if not counted:
        return
    lost_by = {names_of(one)[seat] for one in games for seat in forfeits_of(one)}
    wins = [sum(result_of(one, name) == "won" for one in counted) for name in names]
    if is_match and lost_by:
        wins = [name not in lost_by for name in names]
    told = [
        "won" if mine > its else "lost" if mine < its else "tied"
        for mine, its in (wins, wins[::-1])
    ]
    if told[0] != "tied":
        won = told.index("won")
        gain = 0.05 * table["points"][names[1 - won]]
        table["points"][names[won]] = table["points"][names[won]] + gain
        table["points"][names[1 - won]] = max(10.0, table["points"][names[1 - won]] - gain)
    for seat, stint in enumerate(stints):
        table["stints"][stint][told[seat]] += 1
        row = table["pairs"].setdefault((stint, stints[1 - seat]), {"won": 0, "lost": 0, "tied": 0})
        row[told[seat]] += 1


def result_of(game, name):
    """The result of a game for a bot; None if it counts for nobody."""
    ended = game["outcome"]
    if not game.get("rated", True) or ended["termination"] in ("void", "aborted"):
        return None
    if ended["winner"] is None:
        return "tied"
    return "won" if names_of(game)[ended["winner"]] == name else "lost"


def play_group(game, table, stints, forfeits):
    """A game of more than two: the winner takes 5% of each loser in seat order."""
    names, ended, seats = names_of(game), game["outcome"], range(len(stints))
    winner, scores = ended["winner"], ended["scores"]
    if game.get("rated", True) is False or ended["termination"] in ("void", "aborted"):
        table["void"] += 1
        return
    table["games"] += 1

    def better(one, other):
        """Whether a seat came before another: the winner, then by scores, last who forfeited."""
        if winner in (one, other):
            return one == winner
        if one in forfeits or other in forfeits:
            return one not in forfeits
        return scores[one] > scores[other]

    points = table["points"]
    before = [points[name] for name in names]
    for seat in seats:
        if winner is not None and seat != winner:
            points[names[winner]] += 0.05 * before[seat]
            points[names[seat]] = max(10.0, before[seat] - 0.05 * before[seat])
    for seat, stint in enumerate(stints):
        others = [other for other in seats if other != seat]
        first = scores is None or not any(
            better(other, seat) and not better(seat, other) for other in others
        )
        told = "tied" if winner is None and first else "won" if seat == winner else "lost"
        table["stints"][stint][told] += 1
        table["stints"][stint]["games"][("won", "lost", "tied").index(told)] += 1
    kind = (len(names), scores is not None)
    table["of_groups"][kind] = table["of_groups"].get(kind, 0) + 1
    for one in seats:
        for other in seats:
            if one == other or (scores is None and winner not in (one, other)):
                continue
            ahead, behind = better(one, other), better(other, one)
            row = table["groups"].setdefault((*kind, stints[one], stints[other]), [0] * 5)
            row[0] += ahead and not behind
            row[1] += behind and not ahead
            row[2] += ahead == behind
            row[3] += one == winner
            row[4] += other == winner
