"""Connects to the cluster that the settings name, and checks that the settings and bots fit a
cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from judge.contest.outside import file_of
from judge.contest.settings import PlaySettings
from judge.documents.game import IsolationLevel
from judge.errors import UsageError
from judge.play.conditions import Conditions
from judge.play.run import Connect
from judge.process.bots.bot import Bot
from judge.process.run.launch import Launcher, Start
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import Unlimited
from judge.process.sandbox.levels import WALLED, is_weaker
from judge.waiting import apart

if TYPE_CHECKING:
    from judge.contest.cluster.dask_engine import DaskEngine
    from judge.contest.cluster.pool import GamePool

TRUSTED: IsolationLevel = "limits"  # the default level of bots that are the user's own
_LOOPBACK = ("//127.0.0.1:", "//[::1]:", "//localhost:")


class OnWorkers(Unlimited):
    """A level of isolation that each worker provides by its own means. This machine provides
    none."""

    def launcher(self, start: Start, stop: Stop) -> Launcher:
        raise AssertionError("no bot is started here")


def isolation_for(settings: PlaySettings) -> OnWorkers:
    """The isolation of bots on workers. Raises `UsageError` if the settings ask for a level below
    `WALLED` without ``trust_bots``."""
    level = settings.isolation
    if settings.trust_bots:
        return OnWorkers(TRUSTED if level == "auto" else level)
    if is_weaker(level, WALLED):
        raise UsageError(
            f"--isolation {level} on a cluster lets bots reach its scheduler, which is a shell on "
            "every worker; if all bots are your own, add --trust-bots"
        )
    return OnWorkers(WALLED)


def require_fit(
    settings: PlaySettings,
    bots: Collection[Bot],
    *,
    bring_data: Iterable[str],
    connect: Connect | None,
) -> None:
    """Raise `UsageError` for what a cluster does not support: a setting, a bot that cannot be sent,
    or connections of the calling program. ``bring_data`` are the names of bots with a data file,
    which are refused."""
    from judge.process.bots.parcel import packed

    given = {
        "connect": connect,
        "--learning on": settings.limits.data_bytes,
        "--python": settings.python,
        **{
            f"the wire {wire}": file_of(wire)
            for bot in bots
            for wire in bot.wires or (settings.rules.wire,)
        },
        **{f"the data file of {name}": name for name in bring_data},
    }
    for what in filter(given.get, given):
        raise UsageError(f"{what} is for games on this machine: leave out {what}, or --cluster")
    for bot in bots:
        packed(bot)


def pool_for(
    settings: PlaySettings,
    bots: Iterable[Bot],
    conditions: Conditions,
    *,
    tell: Callable[[str], None],
    open_until: contextlib.ExitStack,
) -> GamePool:
    """Connect to the cluster of the settings, until ``open_until`` closes, and return its pool.
    Raises errors as `reached` and `GamePool` do."""
    from judge.contest.cluster.pool import GamePool

    address = settings.cluster or ""
    engine = apart(partial(reached, address, tell, open_until, verbose=settings.verbose))
    pool = apart(partial(GamePool, engine, bots, conditions, tell))
    workers, cores, at = pool.workers, pool.cores, engine.address_text
    if workers:
        tell(
            f"{workers:,} worker{'s' * (workers > 1)} with {cores:,} core{'s' * (cores > 1)} at {at}"
        )
    else:
        tell(f"the cluster at {at} has no worker yet; waiting for one")
    return pool


def reached(
    address: str,
    tell: Callable[[str], None],
    open_until: contextlib.ExitStack,
    *,
    verbose: bool = False,
) -> DaskEngine:
    """Connect to the scheduler at ``address``, until ``open_until`` closes. With ``local:N`` make a
    scheduler with N workers on this machine first. Raises `UsageError` if dask is not installed,
    and `JudgeFault` if no scheduler answers."""
    try:
        from judge.contest.cluster import dask_engine  # it imports dask
    except ImportError as error:
        raise UsageError(
            f"--cluster needs {error.name}, which is not installed: install the judge with its extra "
            "cluster, as `judge guide contests` shows"
        ) from None
    if not verbose:
        dask_engine.quieten()
    kind, _, rest = address.partition(":")
    where: Any = address
    if kind == "local":
        where = dask_engine.local_cluster(int(rest), open_until)
    elif kind == "tcp" and not rest.startswith(_LOOPBACK):
        tell(
            f"{address} is not encrypted: anyone who can read or change the traffic has a shell on this machine and on every worker; tls:// keeps them out"
        )
    engine = dask_engine.DaskEngine(where)
    open_until.callback(engine.close)
    return engine
