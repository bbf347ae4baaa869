"""Runs a hosted ladder: one process plays games, checks uploads and answers requests.

The main thread plays. The web server, the view of the ledger and the checks have a thread each.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from judge import writing
from judge.contest.settings import PlaySettings
from judge.contest.setup import require_seats
from judge.documents.host import Upload
from judge.errors import UsageError
from judge.game.variants import name_of
from judge.process.sandbox.isolation import choose
from judge.serve.host.entry import EntryPages
from judge.serve.host.folder import HostFolder
from judge.serve.host.gate import Gate, Hosting
from judge.serve.host.ladder import Ladder
from judge.serve.host.readers import Readers
from judge.serve.host.site import application
from judge.serve.host.stderr import StderrStore
from judge.serve.host.uploads import UploadChecks, Uploads
from judge.serve.host.view import LedgerView
from judge.serve.live_page import Hub
from judge.serve.page_server import affordable, in_thread, serving
from judge.serve.rate_limits import ClientBounds
from judge.serve.server import Address
from judge.show.live import Watches
from judge.show.page_words import CONTEST

SWITCH_SECONDS = 0.0005  # a thread's turn; the usual 5 ms add up, and a page waits for all of them
BOUNDS = ClientBounds(clients=1000, per_address=300)


def host(
    folder: HostFolder,
    settings: PlaySettings,
    hosting: Hosting,
    *,
    tell: Callable[[str], None],
    bug: Callable[[BaseException], None],
    ready: Callable[[str], None],
) -> None:
    """Host the ladder until a signal raises `Interrupted`. Once the server listens, ``ready`` is
    called with the ladder's URL. ``tell`` gets the notes for the organiser, and ``bug`` gets each
    error after which the ladder goes on. Raises `UsageError` if the rules are not for two players
    or have matches of several games, bubblewrap cannot hold bots, the folder cannot be made,
    another process hosts it, the address cannot be served, or the ledger has games under other
    conditions. Raises `JudgeFault` if the ledger or an upload cannot be read."""
    require_seats(settings.rules, 2)
    if settings.rules.match > 1:
        raise UsageError(
            f"the rules {name_of(settings.rules)} count matches of {settings.rules.match} games, and a "
            "ladder plays pairs of games"
        )
    choose("bwrap", settings.limits, [])
    folder.make()
    sys.setswitchinterval(SWITCH_SECONDS)
    with ExitStack() as until:
        if until.enter_context(writing.held(folder.path)) is None:
            raise UsageError(f"another judge hosts {folder.path} just now")
        changed = threading.Event()
        uploads, stderr = Uploads(folder.uploads, settings), StderrStore(folder.stderr)
        hub = Hub(hosting.ladder.title, CONTEST)
        view = LedgerView(folder, tell, bug)
        bounds = replace(affordable(BOUNDS), behind_proxy=hosting.behind_proxy)
        gate = Gate(hosting, view, bounds.clients // 2)

        def checked(upload: Upload) -> None:
            changed.set()
            tell(f"upload {upload.number} of {upload.name}: {upload.state}")

        checks = UploadChecks(uploads, checked, bug)
        until.callback(checks.close)

        def listening(addresses: list[Address]) -> None:
            url = hosting.url or f"http://{addresses[0]}"
            with folder.changing(url=url):
                pass
            ready(url)

        readers = Readers(hosting.ladder, gate, view, hub)
        entry = EntryPages(hosting.ladder, gate, view, folder, uploads, checks, stderr)
        app = application(readers, entry)
        serve = partial(serving, app, hub, hosting.where, bounds, bug=bug, option="--host")
        post = until.enter_context(in_thread(serve, bug, listening))

        def field_changed() -> None:
            post(partial(hub.live.hide, view.hidden))
            changed.set()

        field_changed()
        view.follow(field_changed)
        until.callback(view.close)
        watches = Watches(hub.live, post, shows_fleets=False)
        ladder = Ladder(
            folder, uploads, watches, changed, hosting.new_share, stderr, tell, view.take_field
        )
        ladder.play()
