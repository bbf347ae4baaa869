"""``judge replay --move N``: runs one recorded move of a bot once more.

A record may come from a stranger, so no file that it names is opened or executed. The judge runs
the bot that the user names, or the bundled bot that has the recorded name. The user chooses the
isolation. No limit is higher than the user's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase

from msgspec.structs import asdict, astuple

from judge.cli.output import note
from judge.contest.threads import asking
from judge.documents.game import GameRecord, Limits, RecordedSeat
from judge.errors import BotError, UsageError
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.recorded_move import RecordedMove, move, placing, require_allowed
from judge.play.run import Run
from judge.play.spoken import spoken
from judge.process.bots.bot import Bot, find
from judge.process.bots.forkable import require_forkable
from judge.process.bots.specs import bundled_folders
from judge.process.sandbox.isolation import choose
from judge.process.sandbox.levels import is_weaker
from judge.show.move_rerun import Rerun
from judge.wire.messages import Answer, FromPlayer, GameStart

ANY_SIZE = 2**50  # bytes; no bot is too large to run its own move again


def move_of(record: GameRecord, number: int | None, seat: int | None) -> RecordedMove:
    """Return the move with this ``number``, by the ``seat`` if one is given. Without a number,
    return the placing of the seat. Raises `UsageError` if there is no such move, or more than
    one."""
    if seat is not None and seat >= len(record.seats):
        raise UsageError(
            f"--move {number or ''}{ascii_uppercase[seat]}: only {len(record.seats)} played this game"
        )
    if number is not None:
        return move(record, number, seat)
    assert seat is not None, "a number, a seat, or both are typed"
    return placing(record, seat)


def again(
    record: GameRecord,
    move: RecordedMove,
    *,
    bot: str | None,
    python: Path | None,
    isolation: str,
    timeout: int | None,
    memory: int,
    output_limit: int,
) -> Rerun:
    """Run the move again under the conditions of its game, and note each condition that differs.

    The keywords are the user's options. Each limit is the lower one of the game's and the user's.
    Without a ``timeout``, the user's is that of the variant that the record names, or of brainjar.
    Raises `UsageError` if the bot is not found or cannot play by the rules, or if its protocol can
    run no move by itself.
    """
    seat = record.seats[move.seat]
    found = _bot(seat, bot, python)
    if seat.wire is not None and not found.dialect:  # no other dialect was typed
        found = replace(found, wires=(seat.wire,), dialect=seat.dialect or "")
    if found.digest != seat.digest:
        note(
            f"the files of {found.name} are not those that played: then {_short(seat.digest)}, "
            f"now {_short(found.digest)}"
        )
    names = tuple(seat.name for seat in record.seats)
    wire, _ = spoken(found, record.rules, seats=len(names))
    if wire.keeps_state:
        raise UsageError(
            f"a player of {wire.name} lives through the whole game and keeps what it was told, so no "
            "move of it can be run by itself; the command that played the game, with its seed, plays "
            "all of it again"
        )
    if timeout is None:
        # The record states its own rules, so they cannot raise the user's limit.
        timeout = VARIANTS.get(record.rules.name, BRAINJAR).timeout_ms
    users = Limits(timeout_ms=timeout, memory_bytes=memory, output_bytes=output_limit)
    allowed = _allowed(record.limits, users)
    held, notice = choose(isolation, allowed, [found])
    if notice:
        note(notice)
    if held.name != record.isolation:
        more = ", which holds a bot less" if is_weaker(held.name, record.isolation) else ""
        note(f"the game was played under isolation {record.isolation}, this is {held.name}{more}")
    conditions = Conditions(
        rules=record.rules,
        launch=_launch(seat, found),
        isolation=held,
        limits=allowed,
    )
    with asking(Run(conditions)) as seated:
        player = seated(found, move.seat, seat.seed)
        try:
            player.tell(
                GameStart(move.seat, names, record.rules, seat.seed, seat.fleet, record.first)
            )
            player.ask(move.question, record.limits.timeout_ms)
            answer: FromPlayer | BotError = player.answer()
            if isinstance(answer, Answer):
                require_allowed(record, move, answer)
        except BotError as error:
            answer = error.worded(wire.name_of_cell)
        return Rerun(
            answer,
            player.milliseconds,
            player.evidence(move.seat),
            {**wire.luck(seat.seed), **wire.environment(record.rules)},
        )


def _launch(seat: RecordedSeat, bot: Bot) -> str:
    """Return ``fork`` if the bot was forked in the game and can be now, else ``exec``."""
    try:
        if seat.launch == "fork":
            require_forkable([bot])
            return "fork"
    except UsageError as error:
        note(f"the game was played with --launch fork, this is exec: {error}")
    return "exec"


def _allowed(recorded: Limits, users: Limits) -> Limits:
    """Return the game's limits, none of them above the user's. A note says what is lower than in the
    game, and names the options that would allow it."""
    less = {
        name: min(then, now)
        for (name, then), now in zip(asdict(recorded).items(), astuple(users), strict=True)
    }
    allowed = Limits(**less)
    over = [option for name, option in _OPTIONS.items() if getattr(recorded, name) > less[name]]
    if over:
        note(f"the game was played with higher limits; to allow them here: {' '.join(over)}")
    if recorded.cores > allowed.cores:
        note(f"each bot had {recorded.cores} cores in the game, and has {allowed.cores} here")
    if recorded.data_bytes:
        note("the bot may have had learned data in the game, and has none here")
    return allowed


_OPTIONS = {
    "timeout_ms": "--timeout",
    "memory_bytes": "--memory",
    "output_bytes": "--output-limit",
}


def _bot(played: RecordedSeat, spec: str | None, python: Path | None) -> Bot:
    """Find the bot that the user names, or else the bundled bot that has the recorded name."""
    if spec is not None:
        return find(spec, python=python, most_bytes=ANY_SIZE)
    folder = bundled_folders().get(played.name.partition("#")[0])
    if folder is not None:
        return find(str(folder), python=python, most_bytes=ANY_SIZE)
    raise UsageError(f"{played.name} is not a bundled bot; name it: --bot BOT")


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest.removeprefix("sha256:")[:12]
