"""Plays a ladder's games: a contest without an end between the organiser's bots and the entrants'.

`judge.contest.contest.Contest` plays the games and adds them to the ledger.
`judge.contest.ladder.couples` chooses who meets next. This module finds the bots that take part,
and tells the contest when they change. The main thread plays, since only it gets signals.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from judge import waiting
from judge.contest.contest import Added, Contest, GameOver, NotAdded
from judge.contest.deferrals import Deferral
from judge.contest.entrants import able, taking_part_by
from judge.contest.ladder import couples
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.ledger import Ledger, Rated
from judge.contest.ledger.tally import Tally
from judge.contest.plan import Asked, Where
from judge.contest.seeds import DRAWN_BITS
from judge.contest.setup import Setup
from judge.contest.window import Fault
from judge.errors import JudgeFault, UsageError
from judge.game.variants import undrawn
from judge.process.bots.bot import Bot, LeftOut, contestants
from judge.process.bots.names import look
from judge.serve.host.folder import HostFolder
from judge.serve.host.stderr import StderrStore
from judge.serve.host.uploads import Uploads, playing_of
from judge.show.live import Watches

IDLE_SECONDS = 0.3  # seconds between two searches for games to play
FAULT_SECONDS = 5.0  # seconds of rest after a fault of the judge


@dataclass(slots=True)
class Ladder:
    """Plays the games of a ladder for as long as the process runs."""

    folder: HostFolder
    uploads: Uploads
    watches: Watches
    """The watches of the games on the live page. Fleets stay hidden, since both games of a pair
    have the same fleets."""
    changed: threading.Event
    """Other threads set this when the bots that may play may have changed."""
    new_share: float
    """The share of the chosen couples that have a newcomer, while there are newcomers."""
    stderr: StderrStore
    tell: Callable[[str], None]
    take_field: Callable[[Iterable[tuple[str, str]]], None]
    """Called with the names and digests of the bots that play from now on."""
    _left_out: frozenset[tuple[str, str]] = frozenset()  # bots whose omission was reported
    _playing: dict[int, str] = field(default_factory=dict)  # uploads that play, and whose they are
    _put_off: set[tuple[str, str | None]] = field(default_factory=set)  # versions that were told

    def play(self) -> None:
        """Play until a signal raises `Interrupted`. If the field or the disk has a fault, tell the
        organiser, and try again after `FAULT_SECONDS`. Raises `UsageError` if the ledger has games
        under other conditions, and `JudgeFault` if it cannot be opened."""
        with Ledger(self.folder.ledger) as ledger:
            settings = self.uploads.settings
            ledger.require(ConditionSet(undrawn(settings.rules), settings.limits))
        while True:
            self.changed.clear()
            try:
                with Ledger(self.folder.ledger) as ledger:
                    self._play_on(ledger)
            except (JudgeFault, UsageError) as error:  # added games stay
                self.tell(f"the ladder waits: {error}")
                waiting.sleep(FAULT_SECONDS)
                self.changed.set()
            finally:
                self.watches.leave_all()
            while not self.changed.is_set():
                waiting.sleep(IDLE_SECONDS)

    def _play_on(self, ledger: Ledger) -> None:
        """Play until fewer than two bots can play."""
        bots, left_out = self._field(ledger.tally)
        if len(bots) < 2:
            return
        contest = Contest(
            self._setup(bots),
            ledger,
            Asked(drawn=secrets.randbits(DRAWN_BITS)),
            Where(str(ledger.path), str(self.folder.path)),
            clock=time.monotonic,
            tell=self.tell,
            left_out=left_out,
            couples=partial(couples, new_share=self.new_share),
        )
        few = 2 * self.uploads.settings.jobs  # games before the field may change again
        games = few
        for event in contest.playing_on(
            watch_of=lambda one: self.watches.begin([one.id], one.names)
        ):
            match event:
                case GameOver():
                    games += 1
                    if self.changed.is_set() and (games >= few or self._has_lost_entrants()):
                        self.changed.clear()
                        before, (bots, left_out) = bots, self._field(ledger.tally)
                        if len(bots) < 2:
                            return
                        if bots != before:  # then all couples are chosen anew, so not too often
                            games = 0
                            contest.take_up(self._setup(bots), left_out)
                case Added(Rated(record=game)) | NotAdded(Fault(game) | game):
                    self.watches.leave(game.id)
                case Deferral(name, row) if (name, contest.digests[name]) not in self._put_off:
                    self._put_off.add((name, contest.digests[name]))
                    self.tell(
                        f"{name} does not play again before its next version: {row} forfeits in a row"
                    )
                case Fault(pairing, error):
                    contest.faults.clear()  # no fault ends the contest
                    self.watches.leave(pairing.id)
                    self.tell(f"game {pairing.id} could not be played: {error}")

    def _has_lost_entrants(self) -> bool:
        """Whether an entrant whose bot plays is not in the list of entrants any more."""
        return not {*self._playing.values()} <= {one.name for one in self.folder.read().entrants}

    def _setup(self, bots: tuple[Bot, ...]) -> Setup:
        setup = Setup.holding(bots, self.uploads.settings, tell=self.tell)
        return replace(setup, io=self.stderr.log, proofs=self.uploads.proofs)

    def _field(self, tally: Tally) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
        """Return the bots that play now, and the bots that are left out with the reasons. Remove
        the files of uploads that play no more."""
        host = self.folder.read()
        entrants = {entrant.name for entrant in host.entrants}
        with suppress(OSError):  # the next time removes what could not be removed now
            self.uploads.tidy(self._playing, entrants)
        self._playing.clear()
        self.stderr.keep_of(entrants)
        bots, left_out = contestants(self.folder.bots, **self.uploads.settings.finding)
        taken = {*map(look, entrants)}
        found = [bot for bot in bots if look(bot.name) not in taken]
        why = "an entrant has this name; rename its file or folder"
        left_out += tuple(LeftOut(bot.name, why) for bot in bots if look(bot.name) in taken)
        uploads = self.uploads.by_name()
        for entrant in host.entrants:
            upload = playing_of(uploads.get(entrant.name, ()))
            if upload is not None and entrant.approved:
                try:
                    found.append(self.uploads.bot(upload))
                    self._playing[upload.number] = entrant.name
                except (UsageError, OSError) as error:
                    left_out = (*left_out, LeftOut(entrant.name, str(error)))
        playing, unable = able(found, self.uploads.settings.rules, 2)
        playing, out = taking_part_by(tally, playing, self.folder.ledger)
        left_out = (*left_out, *unable, *out)
        now = frozenset((one.name, one.reason) for one in left_out)
        for name, reason in sorted(now - self._left_out):
            self.tell(f"left out {name}: {reason}")
        self._left_out = now
        self.take_field((bot.name, bot.digest) for bot in playing)
        return playing, left_out
