"""``judge replay --move N``: that very move of that very bot, once more.

A record holds a bot's name and a digest of its files, and of a bot that forfeited the command, but
no place where the files are. So they are looked for, and the digest says whether they were found.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from judge.cli.telling import note
from judge.contest.arena import asking
from judge.errors import BotError, UsageError
from judge.game.record import GameRecord, RecordedSeat
from judge.play.again import Move, move, placing
from judge.play.referee import Conditions
from judge.play.table import require_playable
from judge.process.bot import Bot, find
from judge.process.fork import require_forkable
from judge.process.isolation import choose
from judge.show.again import Rerun

ANY_SIZE = 2**50  # it has played already


def chosen(record: GameRecord, what: int | str) -> Move:
    """The move of a number, or the placing of side ``A`` or ``B``."""
    if isinstance(what, int):
        return move(record, what)
    seat = ord(what) - ord("A")
    if seat >= len(record.seats):
        raise UsageError(f"--move {what}: only {len(record.seats)} played this game")
    return placing(record, seat)


def again(
    record: GameRecord,
    move: Move,
    *,
    spec: str | None,
    python: Path | None,
    isolation: str | None,
) -> Rerun:
    """Run the move again under the conditions of its game; says what differs from then.

    Raises `UsageError` where no such bot is to be found.
    """
    seat = record.seats[move.seat]
    bot = _bot(record, move.seat, spec, python)
    if bot.digest != seat.digest:
        note(
            f"the files of {bot.name} are not those that played: then {_short(seat.digest)}, "
            f"now {_short(bot.digest)}"
        )
    require_playable(record.rules, [bot])
    held, notice = choose(isolation or record.isolation, record.limits)
    if notice:
        note(notice)
    if held.name != record.isolation:
        note(f"the game was played under isolation {record.isolation}, this is {held.name}")
    conditions = Conditions(
        rules=record.rules,
        dialect=record.dialect,
        launch=_launch(record, bot),
        isolation=held,
        limits=record.limits,
    )
    with asking(conditions) as seated:
        player = seated(bot, move.seat, seat.seed)
        try:
            said = player.ask(move.question)
        except BotError as error:
            return Rerun(error, player.milliseconds, player.evidence(move.seat))
        return Rerun(said, player.milliseconds, player.evidence(move.seat))


def _launch(record: GameRecord, bot: Bot) -> str:
    """How the game's bots were started, if this one can be."""
    try:
        if record.launch == "fork":
            require_forkable([bot])
    except UsageError as error:
        note(f"the game was played with --launch fork, this is exec: {error}")
        return "exec"
    return record.launch


def _bot(record: GameRecord, seat: int, spec: str | None, python: Path | None) -> Bot:
    """The bot that is named, or else the first found that is the same, or that has the name."""
    if spec is not None:
        return find(spec, python=python, most_bytes=ANY_SIZE)
    played = record.seats[seat]
    found: list[Bot] = []
    for candidate in _candidates(record, played, seat):
        try:
            bot = find(candidate, python=python, most_bytes=ANY_SIZE)
        except UsageError:
            continue
        if bot.digest == played.digest:
            return bot
        found.append(bot)
    if not found:
        raise UsageError(
            f"the record does not say where the files of {played.name} are, and there is no bot "
            "of that name here; name it: --bot BOT"
        )
    return found[0]


def _candidates(record: GameRecord, played: RecordedSeat, seat: int) -> Iterator[str]:
    """What may be the bot: files that its command names, what is here or bundled under its name.

    Never the command itself: a record may be a stranger's, and what it says is not to be run.
    """
    for evidence in record.evidence:
        if evidence.seat == seat and len(evidence.argv) > 1:
            *command, _ = evidence.argv
            for word in reversed(command):
                if Path(word).exists():
                    yield str(Path(word).parent)
                    yield word
    name = played.name.partition("#")[0]
    yield name
    yield f"bots/{name}"
    yield f"{name}.py"


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest.removeprefix("sha256:")[:12]
