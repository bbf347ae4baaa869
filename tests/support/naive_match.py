"""A naive match, written from the text of the rules alone, to disagree with the judge's.

It shares no code with `judge.play`; the game below it is the naive one of `oracle`. Everything is
tuples of plain words. A question is ("name",), ("fleet",), ("ship", length) or ("shots", view). An
answer of a seat is ("place", fleet), ("ship", ship), ("fire", targets), ("skip",), ("resign",),
("leave",), ("join",), ("say", text, to) or ("fault", termination, words).

The messages to a seat are kept in `mail`, a list a seat, in the order in which it is told.
"""

from __future__ import annotations

from oracle import ILLEGAL_FLEET, Oracle, cells_of

FORFEITS = {
    "bad-output",
    "illegal-fleet",
    "illegal-move",
    "timeout",
    "crash",
    "left",
    "resigned",
}
REFUSED = {"bad-output", "illegal-fleet", "illegal-move"}  # where the rules ask again
STAGES = {"bad-output": 1, "illegal-fleet": 2, "illegal-move": 2}  # all else is not an answer: 0
UNKNOWN = None  # words that the engine chooses

# Of a seat: refusals in a turn and in a game, where the next fault is the end; words from one of its
# answers to the next, where the rest is not heard.
REFUSALS_OF_A_TURN, REFUSALS_OF_A_GAME, WORDS = 50, 500, 20


class NaiveMatch:
    """``deals`` are dicts with the rules of a game, its first mover, and the given fleets. The
    seats of ``join_ms`` say that they are there before the first game, each in its time."""

    def __init__(self, seats, answer_ms, deals, games, join_ms):
        self.seats = list(range(seats))
        self.answer_ms = answer_ms
        self.deals = list(deals)
        self.games = games
        self.mail = [[] for _ in self.seats]
        self.records = []
        self.proven = []  # the evidence that was asked for
        self.over = False
        self.broken_off = False
        for seat in self.seats:
            self.mail[seat].append(("match-start", seat, games))
        self.rules = self.deals[0]["rules"]
        self.game = Oracle(self.rules, seats, self.deals[0]["first"])
        self.asked = {}  # seat -> question
        self.failed = {}  # of seats that answer together, seat -> (termination, words, evidence)
        self.joining = bool(join_ms)
        for seat, ms in join_ms.items():
            self.asked[seat] = ("name",)
            self.mail[seat].append(("ask", ("name",), ms, False))
        self.begin_if_all_are_there()

    # Before the first game

    def begin_if_all_are_there(self):
        if not self.asked:
            self.joining = False
            self.next_game(self.counting(self.failed))

    def receive_joining(self, seat, said, evidence):
        kind = said[0]
        if seat not in self.asked or kind == "say":
            return
        del self.asked[seat]
        if kind == "leave":
            self.failed[seat] = ("left", "left the game", evidence)
        elif kind == "resign":
            self.failed[seat] = ("resigned", "", evidence)
        elif kind == "fault":
            self.failed[seat] = (said[1], said[2], evidence)
        elif kind != "join":
            self.failed[seat] = ("bad-output", UNKNOWN, evidence)
        self.begin_if_all_are_there()

    def host_joining(self, order, seat, why):
        if order == "remove" and seat in self.seats and seat not in self.failed:
            if seat in self.asked:
                del self.asked[seat]
                self.mail[seat].append(("withdraw",))
            self.failed[seat] = ("left", "was removed by the host", None)
            self.begin_if_all_are_there()
        elif order == "abort":
            for asked in self.asked:
                self.mail[asked].append(("withdraw",))
            self.asked, self.failed = {}, {}
            self.begin_if_all_are_there()
            self.host("abort", why=why)

    # Games

    def next_game(self, losing=()):
        if self.broken_off or not self.deals:
            self.over = True
            self.asked = {}
            self.tell_all(("match-over", tuple(self.won())))
            return
        self.deal = deal = self.deals.pop(0)
        self.rules = deal["rules"]
        self.game = Oracle(self.rules, len(self.seats), deal["first"])
        self.asked = {}  # seat -> question
        self.spent = {}  # seat -> milliseconds of the turn that went to refused answers
        self.refused_in_turn = {}  # seat -> answers refused
        self.refused_in_game = dict.fromkeys(self.seats, 0)
        self.said = dict.fromkeys(self.seats, 0)  # seat -> words since its last answer
        self.step = set()  # seats that answer together and have been asked
        self.failed = {}  # of those, seat -> (termination, words, evidence)
        self.skipped = set()  # of those, who skipped
        self.ships = {seat: [] for seat in self.seats}
        self.words = {}  # seat -> why it is out
        self.kicked = set()
        self.placing_ms = {}
        self.volley_ms = {}
        self.shot_ms = []
        self.incidents = []
        self.evidence = []
        self.noted = {
            "shots": 0,
            "out": set(),
            "away": set(),
            "placed": set(),
            "playing": False,
        }
        if losing:
            self.forfeit_together(losing)
            self.note()
            if self.game.over:
                self.finish()
                return
        for seat in self.seats:
            self.mail[seat].append(
                ("game-start", seat, self.rules, deal["given"].get(seat), deal["first"])
            )
        self.go_on()

    def go_on(self):
        """Whatever follows once an answer has had its effect on the game."""
        self.note()
        if not self.game.over and self.step and not self.asked:
            self.judge_step()
        if self.game.over:
            self.finish()
            return
        given = self.deal["given"]
        while not self.game.playing and any(s in given for s in self.game.to_move()):
            seat = min(s for s in self.game.to_move() if s in given)
            assert self.game.place(seat, given[seat]) is None
            self.note()
        if self.game.over:
            self.finish()
            return
        for seat in self.game.to_move():
            if seat not in self.asked and seat not in self.step:
                self.spent[seat] = self.refused_in_turn[seat] = 0
                self.ask(seat, self.question(seat))
                if self.together():
                    self.step.add(seat)

    def finish(self):
        winner, loser, termination, scores = self.game.over
        for seat in self.asked:
            self.mail[seat].append(("withdraw",))
        number = len(self.records) + 1
        self.records.append(
            {
                "number": number,
                "rules": self.rules,
                "first": self.game.first,
                "fleets": [self.game.fleets.get(seat) for seat in self.seats],
                "placing ms": [self.placing_ms.get(seat) for seat in self.seats],
                "shots": [
                    (*shot[:5], ms) for shot, ms in zip(self.game.shots, self.shot_ms, strict=True)
                ],
                "incidents": list(self.incidents),
                "outcome": self.game.over,
                "detail": self.detail(termination),
                "evidence": sorted(self.evidence),
                "rated": termination not in ("void", "aborted"),
            }
        )
        forfeited = termination in FORFEITS | {"both-failed", "void"}
        if termination == "aborted" or (forfeited and self.rules.bad_move == "forfeits-match"):
            self.broken_off = True
        self.tell_all(("game-over", winner, loser, termination, scores))
        self.next_game()

    def detail(self, termination):
        if termination == "aborted":
            return self.why
        if termination not in FORFEITS | {"both-failed", "void"}:
            return ""
        words = [self.words[seat] for seat in self.last_gone]
        if termination in FORFEITS:
            return words[0]
        return UNKNOWN if UNKNOWN in words else "; ".join(words)

    def won(self):
        return [
            len([1 for record in self.records if record["outcome"][0] == seat])
            for seat in self.seats
        ]

    def winner(self):
        """Who has won more games than any other; but who forfeited a match has not won it."""
        if self.broken_off:
            return self.records[-1]["outcome"][0]
        most = [seat for seat in self.seats if self.won()[seat] == max(self.won())]
        return most[0] if len(most) == 1 else None

    # Who may do what

    def together(self):
        if not self.game.playing:
            return self.rules.placing == "ship-by-ship"
        return self.rules.turn == "both"

    def plays(self, seat):
        return (
            seat in self.seats
            and not self.game.over
            and seat in self.game.present()
            and not self.game.has_forfeited(seat)
            and seat not in self.failed
        )

    def question(self, seat):
        if self.game.playing:
            return ("shots", self.game.view(seat))
        if self.rules.placing == "ship-by-ship":
            return ("ship", self.rules.fleet[len(self.ships[seat])])
        return ("fleet",)

    def left_ms(self, seat):
        most = self.answer_ms[seat]
        return None if most is None else most - self.spent[seat]

    def ask(self, seat, question, refused=False):
        self.asked[seat] = question
        self.mail[seat].append(("ask", question, self.left_ms(seat), refused))

    # What a seat says

    def receive(self, seat, said, ms, evidence):
        if self.over or seat not in self.seats:
            return
        if self.joining:
            self.receive_joining(seat, said, evidence)
            return
        kind = said[0]
        if kind == "say":
            self.say(seat, *said[1:])
        elif kind == "join":
            self.come_back(seat)
        elif not self.plays(seat):
            if kind not in ("leave", "fault"):
                self.mail[seat].append(("refused",))
        elif kind == "leave":
            self.leave(seat, "left the game", ms, evidence)
        elif kind == "resign":
            self.fail(seat, "resigned", "", ms, evidence)
        elif kind == "fault":
            self.fault(seat, said[1], said[2], ms, evidence)
        elif seat not in self.asked:
            self.mail[seat].append(("refused",))
        else:
            self.answer(seat, said, ms, evidence)

    def say(self, seat, text, to):
        self.said[seat] += 1
        if self.said[seat] > WORDS:
            return
        for other in self.seats:
            if other != seat and to in (None, other):
                self.mail[other].append(("chat", seat, text, to is not None))

    def come_back(self, seat):
        if seat in self.game.away:
            assert self.game.come_back(seat) is None
            self.mail[seat].append(("rejoined", self.game.view(seat)))
            self.incidents.append((len(self.game.shots), seat, "return"))
            self.tell_all(("back", seat))
            self.noted["away"].discard(seat)
            self.go_on()

    def answer(self, seat, said, ms, evidence):
        error = self.apply(seat, said, self.asked[seat][0])
        if error:
            self.fault(seat, error, UNKNOWN, ms, evidence)
            return
        del self.asked[seat]
        self.said[seat] = 0
        self.time(seat, ms)
        self.go_on()

    def apply(self, seat, said, asked):
        """Do it, or say how it is wrong; a game of all at once keeps it until all have answered."""
        match said[0], asked:
            case "place", "fleet":
                return self.game.place(seat, said[1])
            case "ship", "ship":
                return self.place_ship(seat, said[1])
            case "fire", "shots":
                return self.game.shoot(seat, said[1])
            case "skip", "shots":
                if not self.rules.may_skip:
                    return "illegal-move"
                self.skipped.add(seat)
                return self.game.skip(seat)
        return "bad-output"

    def place_ship(self, seat, ship):
        ships = self.ships[seat]
        cells = cells_of(ship)
        taken = [cell for other in ships for cell in cells_of(other)]
        if ship.length != self.rules.fleet[len(ships)]:
            return ILLEGAL_FLEET
        if set(cells) & set(taken) or not set(cells) <= self.game.grid():
            return ILLEGAL_FLEET
        ships.append(ship)
        return None

    def fault(self, seat, termination, words, ms, evidence):
        if termination in REFUSED and self.rules.bad_move == "ask-again":
            if seat not in self.asked:
                self.mail[seat].append(("refused",))
                return
            self.spent[seat] += ms
            self.refused_in_turn[seat] += 1
            self.refused_in_game[seat] += 1
            left = self.left_ms(seat)
            if (
                self.refused_in_turn[seat] <= REFUSALS_OF_A_TURN
                and self.refused_in_game[seat] <= REFUSALS_OF_A_GAME
            ):
                if left is None or left > 0:
                    self.ask(seat, self.asked[seat], refused=True)
                    return
                termination, words = "timeout", UNKNOWN
            ms = 0
        self.fail(seat, termination, words, ms, evidence)

    def leave(self, seat, words, ms, evidence):
        if self.rules.may_return and self.game.playing:
            self.asked.pop(seat, None)
            self.step.discard(seat)
            self.skipped.discard(seat)
            assert self.game.leave(seat) is None
            self.go_on()
        else:
            self.fail(seat, "left", words, ms, evidence)

    def fail(self, seat, termination, words, ms, evidence):
        was_asked = seat in self.asked
        if was_asked:
            del self.asked[seat]
            self.time(seat, ms)
        self.skipped.discard(seat)
        if seat in self.step and (was_asked or not self.game.playing):
            self.failed[seat] = (termination, words, evidence)
        else:
            self.words[seat] = words
            self.prove(evidence)
            assert self.game.forfeit(seat, termination) is None
        self.go_on()

    def prove(self, evidence):
        if evidence is not None:
            self.proven.append(evidence)
            self.evidence.append(evidence)

    def time(self, seat, ms):
        ms += self.spent[seat]
        if self.has_begun:
            self.volley_ms[seat] = ms
        else:
            self.placing_ms[seat] = self.placing_ms.get(seat, 0) + ms

    # A host

    def host(self, order, seat=None, why=""):
        if self.over:
            return
        if self.joining:
            self.host_joining(order, seat, why)
            return
        if order == "abort":
            self.why = why
            self.game.end(None, "aborted")
            self.go_on()
        elif order == "skip" and seat in self.asked and self.game.playing and self.rules.may_skip:
            del self.asked[seat]
            self.mail[seat].append(("withdraw",))
            self.skipped.add(seat)
            assert self.game.skip(seat) is None
            self.go_on()
        elif order == "remove" and self.plays(seat):
            if seat in self.asked:
                self.mail[seat].append(("withdraw",))
            self.kicked.add(seat)
            self.leave(seat, "was removed by the host", 0, None)

    # A step in which several answer together

    def judge_step(self):
        failed = self.counting(self.failed)
        self.step, self.failed = set(), {}
        if failed:
            self.forfeit_together(failed)
        if not self.game.playing and not self.game.over:
            whole = [s for s in self.game.to_move() if len(self.ships[s]) == len(self.rules.fleet)]
            for seat in whole:
                assert self.game.place(seat, tuple(self.ships[seat])) is None
        self.note()

    def counting(self, failed):
        """Only those of two seats lose that failed in the first stage in which any did."""
        if len(self.seats) > 2 or not failed:
            return failed
        first = min(STAGES.get(how, 0) for how, _, _ in failed.values())
        return {s: one for s, one in failed.items() if STAGES.get(one[0], 0) == first}

    def forfeit_together(self, failed):
        for seat, (_, words, evidence) in sorted(failed.items()):
            self.words[seat] = words
            self.prove(evidence)
        going = [(seat, failed[seat][0]) for seat in sorted(failed)]
        assert self.game.forfeit_together(going) is None

    # What is noted and told

    @property
    def has_begun(self):
        """Whether what is noted so far is past the placing."""
        return self.noted["playing"]

    def note(self):
        """Write down, and tell all, what has changed in the game since it was last looked at."""
        game, noted = self.game, self.noted
        at = noted["shots"]
        is_together = self.rules.placing == "all" and not noted["playing"]
        if is_together and not (game.playing or game.over):
            return  # nobody learns of another's fleet before all have placed
        for seat in sorted(game.away - noted["away"]):
            self.incidents.append((at, seat, "kick" if seat in self.kicked else "leave"))
            self.kicked.discard(seat)
            self.tell_all(("gone", seat, None))
        gone = sorted(set(game.out) - noted["out"])
        placed = sorted(set(game.fleets) - noted["placed"])
        for seat in sorted({*gone, *placed}) if is_together else gone:
            if seat in gone:
                self.incidents.append((at, seat, game.out[seat]))
                self.tell_all(("gone", seat, game.out[seat]))
            else:
                self.tell_all(("placed", seat))
        if gone:
            self.last_gone = gone if game.playing else sorted(game.out)
        # The answers of a round of all at once count when it is over, unless the game is with it.
        if not (self.rules.turn == "both" and game.answers):
            for seat in sorted(self.skipped):
                self.incidents.append((at, seat, "skip"))
                self.tell_all(("skipped", seat))
            self.skipped = set()
        told = game.told()[at:]
        for number, shot in enumerate(told):
            first_of_volley = number == 0 or told[number - 1][0] != shot[0]
            self.shot_ms.append(self.volley_ms[shot[0]] if first_of_volley else 0)
            self.tell_all(("shot", *shot))
        for seat in [] if is_together else placed:
            self.tell_all(("placed", seat))
        self.noted = {
            "shots": len(game.shots),
            "out": set(game.out),
            "away": set(game.away),
            "placed": set(game.fleets),
            "playing": game.playing,
        }

    def tell_all(self, message):
        for seat in self.seats:
            self.mail[seat].append(message)
