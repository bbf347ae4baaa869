"""A run: the games of one command, with their conditions, the user's stop, and the started
programs.

A `Task` describes a game so that it can be sent to another process: it has the names and digests of
bots. A `Run` has the bots themselves, and plays tasks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Self

from msgspec import structs

from judge.documents.game import GameRecord, RecordedSeat
from judge.documents.rules import Draw, Fleet, Placing, Rules, Ship, Turn
from judge.documents.tasks import Task, TaskGame, TaskSeat
from judge.errors import BotError, Crashed, JudgeFault, TimedOut
from judge.play.actions import GameSetup, with_fleet
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.player import JOIN_MS, Player, ProgramPlayer, join
from judge.play.player_data import FixedPlayerData, PlayerData
from judge.play.proof import Proofs, ProvingPlayer
from judge.play.referee import play_game, play_match
from judge.play.solo import Board, clear_boards, setup_of
from judge.play.spoken import plays_games_in_a_row, spoken
from judge.process.bots.bot import Bot, started_anywhere
from judge.process.bots.data_file import Data, stem_of
from judge.process.bots.forkable import why_unforkable
from judge.process.bots.stamps import ChangeGuard
from judge.process.run.claims import alone_with
from judge.process.run.connection import Connection, OneShot
from judge.process.run.environment import LANG, variables
from judge.process.run.exchange_files import SeatLogs
from judge.process.run.launch import DataFile, Start
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.limits import longest_life
from judge.process.run.listening import Stop
from judge.process.run.pausing import Pausing
from judge.process.run.pipes import Pipes
from judge.process.run.processors import Processors, bound_to, of_seat, owned, require
from judge.wire.interface import Detection, Transport, Wire
from judge.wire.messages import AskFleet, AskShip, GameStart, Placed, PlacedShip

OPPONENT = "opponent"  # the name of an opponent that is not there


Connect = Callable[[Bot, int, Callable[[], Connection]], Connection]
"""A function that connects to a bot with a seed. Its last argument makes the judge's own
connection."""


Objects = Mapping[str, Callable[[str, int], Player]]
"""The bots that are objects of this process, by name. The function makes a player from the name and
a seed."""


class _GameCores(NamedTuple):
    """The processors of one game, each seat's share of them if all seats are asked at once, and the
    pausing of the programs that are not asked."""

    processors: Processors
    shares: tuple[Processors, ...]
    pausing: Pausing

    @property
    def at_once(self) -> bool:
        return bool(self.shares)

    def of(self, seat: int) -> Processors:
        """The processors that the program in a seat runs on."""
        return self.shares[seat] if self.shares else self.processors


class Run:
    """The games of one command. Thread-safe. A context manager that ends all bots.

    ``bots`` are the bots that tasks may name; `bring` adds others. ``connect`` replaces the judge's
    connections, as in tests. ``data`` are the data of learning players. ``stayed_on`` gets the name
    of a player each time that its program does not exit when it should. ``proofs`` are the proofs
    for forking, and ``io`` makes the log of each seat. ``objects`` are the bots that are objects of
    this process. ``stop`` is the stop of a run in another process, if there is one. Games raise
    `JudgeFault`, and `Interrupted` once `interrupt` was called. The constructor raises `UsageError`
    if this process may not use as many processors as each bot gets.
    """

    def __init__(
        self,
        conditions: Conditions,
        bots: Iterable[Bot] = (),
        connect: Connect | None = None,
        data: PlayerData | None = None,
        stayed_on: list[str] | None = None,
        *,
        proofs: Proofs | None = None,
        io: SeatLogs | None = None,
        objects: Objects | None = None,
        stop: Stop | None = None,
    ) -> None:
        asked_at_once = 2 if conditions.rules.turn is Turn.BOTH else 1
        require(-(-conditions.limits.cores // asked_at_once))  # rounded up
        self.conditions = conditions
        self._data = data or FixedPlayerData()
        self._connect = connect
        self._bots = {(bot.name, bot.digest): bot for bot in bots}
        self._dialects: dict[str, str] = {}  # detected dialects, by a bot's digest
        self._unchanged = ChangeGuard()
        self.stop = stop or Stop()
        self._launchers = LauncherPool(self.stop)
        self._stayed_on = [] if stayed_on is None else stayed_on
        self._proofs = proofs or Proofs()
        self._io = io
        self._objects = objects or {}
        self._needs_new_process: set[str] = (
            set()
        )  # digests of bots that need a new process for each board

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every bot. No game may be under way."""
        self._launchers.close()
        self.stop.close()

    @property
    def plays_here(self) -> bool:
        """Whether games are to be played in the thread that asks for their results."""
        return bool(self._objects)

    def bring(self, bots: Iterable[Bot]) -> None:
        """Let tasks name these bots too. A new bot replaces one with the same name and digest."""
        for bot in bots:
            self._bots[bot.name, bot.digest] = bot

    def interrupt(self) -> None:
        """Stop every game under way or to come; each raises `Interrupted`."""
        self.stop.set()

    def play(self, task: Task, watch: Watch | None = None) -> GameRecord:
        """Play one game and return its record. All seeds come from the task. Raises as `clear`."""
        rules = with_fleet(self.conditions.rules, task.seed)
        with self._seated(task, rules) as (players, at_once):
            record = play_game(
                replace(self.conditions, rules=rules),
                players,
                game_id=task.id,
                seed=task.seed,
                first=task.first,
                watch=watch,
                at_once=at_once,
            )
            return self._learned(record, players) if self._data.keeps else record

    @contextmanager
    def _seated(self, task: Task, rules: Rules) -> Iterator[tuple[list[Player], bool]]:
        """A ``with`` block with the players of a game or match, and whether seats that answer
        together are asked at once. Programs alone claim the game and processors of its own. In a
        game with an object, each program has its own processors."""
        names = [seat.name for seat in task.seats]
        with ExitStack() as until:
            cores = None
            if self._objects.keys().isdisjoint(names):
                until.enter_context(self._with_the_same_files(task))
                until.enter_context(self._alone(task))
                cores = until.enter_context(self._game_cores(rules, len(names)))
            players: list[Player] = []
            for number, seat in enumerate(task.seats):
                if seat.name in self._objects:
                    players.append(self._objects[seat.name](seat.name, seat.seed))
                    continue
                player = self.seat(
                    self._bot(seat),
                    number,
                    seat.seed,
                    rules=rules,
                    name=seat.name,
                    seats=len(names),
                    cores=cores,
                    game=task.id,
                )
                players.append(until.enter_context(player))
            yield players, cores is not None and cores.at_once

    def clear(self, tasks: Sequence[Task]) -> list[GameRecord]:
        """Let one bot clear the boards of these tasks, and return the records. Raises `BotChanged`
        if files of a bot have changed, another `JudgeFault` if the judge or the machine cannot
        play, and `Interrupted` once the user stops the run.

        A program that stays alive may clear one board after another. If it forfeits a board that is
        not its first, an earlier board may be the cause, so the board is played again in a new
        process. If the bot then clears that board, each later board gets a new process.
        """
        records: list[GameRecord] = []
        (seat,) = tasks[0].seats
        if seat.name in self._objects:
            for board in _boards(tasks):
                player = self._objects[seat.name](seat.name, seat.seed)
                records += clear_boards(self.conditions, player, [board])
            return records
        bot, is_again = self._bot(seat), False
        with self._with_the_same_files(tasks[0]), self._game_cores(self.conditions.rules) as cores:
            while left := tasks[len(records) :]:
                cleared = self._cleared(bot, left if self._may_go_on(bot) else left[:1], cores)
                if is_again and not cleared[0].outcome.termination.is_forfeit:
                    self._needs_new_process.add(bot.digest)
                is_again = len(cleared) > 1 and cleared[-1].outcome.termination.is_forfeit
                records += cleared[:-1] if is_again else cleared
        return records

    def _may_go_on(self, bot: Bot) -> bool:
        """Whether a process of this bot may clear several boards. With ``io`` a process clears one
        board only, since the files are about one board each."""
        rules = self.conditions.rules
        wire, _ = spoken(bot, rules)
        is_one_by_one = self._io is not None or bot.digest in self._needs_new_process
        return not is_one_by_one and plays_games_in_a_row(wire, rules)

    def _cleared(self, bot: Bot, tasks: Sequence[Task], cores: _GameCores) -> list[GameRecord]:
        """The records of the boards that one player clears. The first forfeited board is the
        last."""
        boards = _boards(tasks)
        first, (seat,) = boards[0], tasks[0].seats
        rules = self.conditions.rules.drawn_as(first.fleet)
        # It lives, or the judge runs, and never both: on one processor neither has to wake another.
        lives = spoken(bot, rules)[0].transport is not Transport.ONE_SHOT
        with (
            self.seat(
                bot, 0, seat.seed, rules=rules, name=seat.name, cores=cores, game=first.id
            ) as player,
            bound_to(cores.processors if lives else frozenset()),
        ):
            return clear_boards(self.conditions, player, boards)

    def _learned(self, record: GameRecord, players: Sequence[Player]) -> GameRecord:
        """The record with the digests of the data that its learning players have left."""
        self.stop.wait(0)  # a player that was stopped while it saved has not saved all data
        seats = [
            structs.replace(seat, data_digest=self._data.left(record.id, seat.name, player.left))
            if isinstance(player, ProgramPlayer) and self._data.learns(seat.name)
            else seat
            for seat, player in zip(record.seats, players, strict=True)
        ]
        return structs.replace(record, seats=tuple(seats))

    def play_match(self, task: Task, watch: Watch | None = None) -> list[GameRecord]:
        """Play the games of a match, or up to the forfeit that ends it, and return the records.
        Raises `BotChanged` if files of a bot have changed, another `JudgeFault` if the judge or the
        machine cannot play, and `Interrupted` once the user stops the run."""
        rules = self.conditions.rules
        with self._seated(task, rules) as (players, at_once):
            return play_match(
                self.conditions,
                players,
                games_of(task, rules),
                match_id=task.id,
                watch=watch,
                at_once=at_once,
            )

    @contextmanager
    def _game_cores(self, rules: Rules, seats: int = 1) -> Iterator[_GameCores]:
        """Claim the processors of a game with this number of seats, for a ``with`` block."""
        cores = self.conditions.limits.cores
        with owned(cores) as processors:
            at_once = rules.turn is Turn.BOTH and len(processors) == cores >= seats > 1
            shares = [of_seat(processors, seat, seats) for seat in range(seats)] if at_once else ()
            yield _GameCores(processors, tuple(shares), Pausing())

    def place(self, bot: Bot, seed: int) -> Fleet:
        """Ask a bot for its fleet and return it. Raises `BotError` for a fault of the bot, such as
        a fleet that is not legal."""
        rules = with_fleet(self.conditions.rules, seed)
        with self.seat(bot, 1, seed, rules=rules) as player:
            timeout_ms = self.conditions.limits.timeout_ms
            join(player, timeout_ms)
            player.tell(GameStart(1, (OPPONENT, bot.name), rules, seed, None, 0))
            fleet = _placed_by(player, rules, timeout_ms)
        rules.check_fleet(fleet)
        return fleet

    @contextmanager
    def seat(
        self,
        bot: Bot,
        seat: int,
        seed: int,
        *,
        rules: Rules | None = None,
        name: str = "",
        seats: int | None = None,
        dialect: str | None = None,
        lang: str = LANG,
        cores: _GameCores | None = None,
        game: str = "",
    ) -> Iterator[ProgramPlayer]:
        """A player for a bot's program, in a ``with`` block. The bot's wire decides the connection.

        ``rules`` have the ship lengths drawn, and ``lang`` is the program's locale. Without a
        ``cores`` the program gets processors of its own. ``game`` is the game's id.
        """
        rules = rules or self.conditions.rules
        with ExitStack() as own:
            cores = cores or own.enter_context(self._game_cores(rules))
            speaks, usual_dialect = spoken(bot, rules, self.conditions.dialect, seats)
            data = self._data.brought(name or bot.name)
            usual = partial(
                self._connected,
                bot,
                speaks,
                rules,
                seed,
                data,
                seats=seats,
                lang=lang,
                processors=cores.of(seat),
                pausing=cores.pausing,
            )
            dialect = dialect or usual_dialect
            if speaks.detection and dialect == speaks.dialects[0]:
                dialect = self._detected(bot, speaks, speaks.detection, usual)
            lives = speaks.transport is not Transport.ONE_SHOT  # such a program is never forked
            launch = "exec" if lives or self._connect else self.launch_of(bot)
            entry = RecordedSeat.of(
                name or bot.name,
                digest=bot.digest,
                seed=seed,
                author=bot.author,
                data_digest=data.digest if data else None,
                wire=speaks.name,
                dialect=dialect,
                launch=launch,
            )
            log = None
            if self._io and game:
                log = own.enter_context(closing(self._io(game, seat, entry.name)))
            if launch == "exec" and self._may_be_forked(bot, lives=lives):
                proof = self._proofs.of(bot)
                if proof.begin():
                    own.callback(proof.end)
                    launches = ("exec", "exec", "fork")
                    tried = [
                        own.enter_context(closing(usual(launch=launch))) for launch in launches
                    ]
                    wires = [speaks(rules, seat, dialect) for _ in launches]
                    yield ProvingPlayer(entry, wires, tried, rules, proof, log=log)
                    return
            begun = partial(usual, launch=launch)
            connected = self._connect(bot, seed, begun) if self._connect else begun()
            with closing(connected) as connection:
                player = ProgramPlayer(entry, speaks(rules, seat, dialect), connection, log)
                yield player
                self._stayed_on += [entry.name] * player.stayed_on

    def launch_of(self, bot: Bot) -> str:
        """How a bot that is started for each move is started now: ``exec`` or ``fork``."""
        if self.conditions.launch == "exec" or why_unforkable(bot):
            return "exec"
        is_forked = self.conditions.launch == "fork" or self._proofs.of(bot).holds
        return "fork" if is_forked else "exec"

    def why_not_forked(self, bot: Bot) -> str:
        """Why a bot is not forked, in words that follow its name; empty if no reason is known."""
        return why_unforkable(bot) or self._proofs.of(bot).difference

    def _may_be_forked(self, bot: Bot, *, lives: bool) -> bool:
        is_asked = self.conditions.launch == "auto" and self._connect is None
        return is_asked and not lives and why_unforkable(bot) is None

    def _connected(
        self,
        bot: Bot,
        wire: type[Wire],
        rules: Rules,
        seed: int,
        data: Data | None,
        *,
        seats: int | None,
        lang: str,
        processors: Processors,
        pausing: Pausing,
        launch: str = "exec",
    ) -> Connection:
        limits, isolation = self.conditions.limits, self.conditions.isolation
        environment = variables(bot.path, wire.environment(rules), lang)
        luck = wire.luck(seed)
        match wire.transport:
            case Transport.ONE_SHOT:
                start = Start(
                    bot,
                    environment,
                    limits,
                    fork=launch == "fork",
                    processors=processors,
                )
                lent = self._launchers.lent(isolation, start, luck)
                return OneShot(start, luck, isolation, lent, pausing)
            case Transport.PIPES | Transport.SOCKET:
                answers = most_answers(rules, seats or rules.players[0])
                life_seconds = longest_life(limits, answers)
                player = bot if wire.workplace is None else started_anywhere(bot)
                connects = wire.transport is Transport.SOCKET
                start = Start(
                    player,
                    environment,
                    limits,
                    life_seconds=life_seconds,
                    connects=connects,
                    keeps_data=self._data.keeps and self._data.learns(bot.name),
                    processors=processors,
                )
                lent = self._launchers.lent(isolation, start, luck)
                brought = DataFile(f"{stem_of(bot)}{data.suffix}", data.content) if data else None
                connection = Pipes
                if connects:
                    from judge.process.run.unix_socket import (
                        UnixSocket,
                    )  # imported here, since few players connect

                    connection = UnixSocket
                return connection(
                    start,
                    isolation,
                    lent,
                    self.stop,
                    luck=luck,
                    workplace=wire.workplace,
                    data=brought,
                    pausing=pausing,
                )

    def _detected(
        self,
        bot: Bot,
        wire: type[Wire],
        detection: Callable[[], Detection],
        usual: Callable[[], Connection],
    ) -> str:
        """The dialect of a bot, found out at its first game; the wire's last dialect if it cannot
        be told. The result is kept, unless the bot was late: then its next match tries again."""
        known = self._dialects.get(bot.digest)
        if known is None and self._connect is None:
            with closing(usual()) as connection, suppress(TimedOut):
                known = detected(detection(), connection, self.conditions.limits.timeout_ms)
                known = self._dialects[bot.digest] = known or wire.dialects[-1]
        return known or wire.dialects[-1]

    def _alone(self, task: Task) -> AbstractContextManager[None]:
        """A ``with`` block in which no other judge on this machine plays these bots with the task's
        seed."""
        return alone_with(task.seed, [seat.digest for seat in task.seats], self.stop)

    @contextmanager
    def _with_the_same_files(self, task: Task) -> Iterator[None]:
        """A ``with`` block for a game. Raises `BotChanged` if a bot's files change before the end
        of the game."""
        bots = [self._bot(seat) for seat in task.seats]
        self._require_unchanged(bots)
        try:
            yield
        except JudgeFault:
            self._require_unchanged(bots)  # changed files may be the cause
            raise
        self._require_unchanged(bots)

    def _require_unchanged(self, bots: Iterable[Bot]) -> None:
        for bot in bots:
            self._unchanged.require(bot.name, bot.stamps)

    def _bot(self, seat: TaskSeat) -> Bot:
        bot = self._bots[seat.name, seat.digest]
        return replace(bot, wires=seat.wires, dialect=seat.dialect)


def _boards(tasks: Iterable[Task]) -> list[Board]:
    return [Board(task.id, task.seed, task.board) for task in tasks if task.board is not None]


def games_of(task: Task, rules: Rules) -> list[GameSetup]:
    """The games or the board of a task, with the ship lengths of their rules drawn."""
    if boards := _boards([task]):
        return [setup_of(board, rules) for board in boards]
    return [
        GameSetup(id=game.id, seed=game.seed, first=game.first, rules=with_fleet(rules, game.seed))
        for game in (TaskGame(task.id, task.seed, task.first), *task.rest)
    ]


def _placed_by(player: ProgramPlayer, rules: Rules, timeout_ms: float) -> Fleet:
    """Ask a player for its fleet, ship by ship if the rules say so."""
    one_by_one = rules.placing is Placing.SHIP_BY_SHIP
    asked = [AskShip(length) for length in rules.lengths] if one_by_one else [AskFleet()]
    ships: list[Ship] = []
    for question in asked:
        player.ask(question, timeout_ms)
        match player.answer():
            case Placed(fleet):
                return fleet
            case PlacedShip(ship):
                ships.append(ship)
            case _:
                raise Crashed("left before it had placed its fleet")
    return tuple(ships)


def detected(detection: Detection, connection: Connection, timeout_ms: float) -> str | None:
    """The dialect of a program, found out over a connection, or None if it stays unknown, as after
    most faults of the program. Each message of the program may take as long as a first message.

    Raises `TimedOut` if the program is late, `JudgeFault` if the machine cannot start the program
    or listen to it or is too busy, and `Interrupted` once the user stops the run.
    """
    connection.open()
    seconds = max(JOIN_MS, timeout_ms) / 1000
    try:
        while not detection.is_over:
            connection.expect()
            data = connection.receive(time.monotonic() + seconds)
            detection.receive_data(data)
            if more := detection.data_to_send():
                connection.send(more)
            elif not data:
                break
        connection.finish()
    except BotError as error:
        if isinstance(error, TimedOut):
            raise
    return detection.dialect


def most_answers(rules: Rules, seats: int) -> int:
    """The most answers of all seats in a match by these rules. Without a limit of rounds, each seat
    is taken to shoot once at each cell of the other boards."""
    ships = rules.fleet.ships if isinstance(rules.fleet, Draw) else len(rules.fleet)
    turns = rules.round_limit or rules.columns * rules.rows * (seats - 1)
    return seats * rules.match * (turns + ships)
