"""Plays a game for a check, against opponents that are scripted for its claim."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from judge.check.checks import GameSetting
from judge.check.opponents import Opponent
from judge.documents.game import GameRecord
from judge.errors import BotError, Crashed
from judge.game.events import Event
from judge.game.game import Game
from judge.play.actions import GameSetup
from judge.play.asking import Question, Reply, told_beside
from judge.play.player import Player
from judge.play.referee import play_match
from judge.play.run import Run
from judge.play.spoken import spoken
from judge.process.bots.bot import Bot
from judge.wire.messages import Placed

_FAULTS = {kind.termination: kind for kind in BotError.__subclasses__()}


def play(run: Run, bot: Bot, setting: GameSetting) -> Reply:
    """Play the game or match of a setting. Returns one reply for all of it, with the bot's fleet
    and the record of the last game. Raises `JudgeFault` if the judge or the machine cannot play the
    game, and `Interrupted` once the user stops the run."""
    seat, rules = setting.seat, setting.rules or run.conditions.rules
    drawn = [rules.drawn(Random(setting.seed + number)) for number in range(setting.games)]
    rules, seats = drawn[0], rules.players[0]
    conditions = replace(run.conditions, rules=rules)
    opponents = [
        Opponent(setting.name, other, seat, rules, setting.shoot, Random(f"{setting.seed}:{other}"))
        for other in range(seats)
        if other != seat
    ]

    def watch(game: Game, event: Event) -> None:
        for opponent in opponents:
            opponent.watch(game, event)

    with run.seat(bot, seat, setting.seed, rules=rules, seats=seats, lang=setting.lang) as player:
        players: list[Player] = [*opponents[:seat], player, *opponents[seat:]]
        setups = [GameSetup(id="check", seed=setting.seed, first=0, rules=each) for each in drawn]
        *_, record = play_match(conditions, players, setups, match_id="check", watch=watch)
        evidence = next((evidence for evidence in record.evidence), None) or player.evidence(seat)
    assert evidence is not None, "a program that was asked has run"
    wire, _ = spoken(bot, rules)
    dialect = record.seats[seat].dialect or ""
    question = Question(None, setting.seed, dialect, setting.lang)
    fleet = record.seats[seat].fleet
    times = [shot.ms for shot in record.shots if shot.seat == seat]
    return Reply(
        question=question,
        answer=None if fleet is None else Placed(fleet),
        fault=_fault(record, seat),
        run=evidence,
        folder=str(bot.folder),
        variables=told_beside(bot, rules, question),
        answer_ms=max([record.seats[seat].ms or 0.0, *times]),
        wire=wire,
        record=record,
        seat=seat,
    )


def _fault(record: GameRecord, seat: int) -> BotError | None:
    outcome = record.outcome
    if outcome.loser != seat or not outcome.termination.is_forfeit:
        return None
    return _FAULTS.get(outcome.termination, Crashed)(outcome.detail)
