"""A ladder's pages over real sockets: what readers see, what an entrant alone sees, and what neither
can do."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest

from changes import replace
from games import ATTACK, introduced, played
from hosted import Answer, Hosted, hosted
from judge import schemas
from judge.contest.deferrals import IN_A_ROW
from judge.contest.ledger import order_entries
from judge.contest.ledger.ledger import Ledger
from judge.documents.game import GameRecord, Termination
from judge.documents.host import Entrant
from judge.errors import UsageError
from judge.serve.host import folder as folder_module
from judge.serve.host import gate, readers, view
from judge.serve.host.folder import HostFolder, entrant_of
from judge.serve.rate_limits import Allowance

pytestmark = pytest.mark.whole

BOT = b"#!/bin/sh\necho '{}'\n"
SECRETS = ("the output of ann", "the stderr of ann", "sha256:ann", "what ann did wrong", "ANN_SEED")


def game(seed: int, first: int, **more: object) -> GameRecord:
    """A game of a pair, between ann and bob."""
    record = played(
        seed=seed,
        names=("ann", "bob"),
        first=first,
        game_id=f"ann:bob:r:c:{seed}.{first + 1}",
        **more,
    )  # type: ignore[arg-type]
    seats = [
        replace(
            seat,
            digest=f"sha256:{seat.name}",
            launch="exec",
            wire="brainjar",
            dialect="readme",
            seed=771000 + number,
        )
        for number, seat in enumerate(record.seats)
    ]
    return replace(record, seats=tuple(seats))


def forfeited(seed: int, first: int) -> GameRecord:
    """The same, lost by ann with all that she has to say of it."""
    return game(
        seed,
        first,
        forfeit=(0, Termination.BAD_OUTPUT),
        detail="what ann did wrong",
        stdout="the output of ann",
        stderr="the stderr of ann",
    )


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Hosted]:
    """A ladder with a pair of games, one of them forfeited by ann, and the first game of another
    pair."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        for record in (game(1, 0), forfeited(1, 1), game(2, 0)):
            ledger.add(record)
    with hosted(tmp_path, is_open=True) as found:
        yield found


# What readers see


@pytest.mark.parametrize(
    "path", ["/", "/?by=points", "/bots/ann", "/games/2", "/live/", "/enter", "/register"]
)
def test_a_reader_sees_it_without_a_token(ladder: Hosted, path: str) -> None:
    """Whole pages, whose headers let no other page frame them."""
    answer = ladder.ask(path)
    assert answer.status == 200
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "</html>" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/games/2", "/bots/ann", "/", "/api/games/2", "/api/bots/ann", "/api/games", "/api/standings"],
)
def test_no_public_page_holds_what_a_bot_keeps_to_itself(ladder: Hosted, path: str) -> None:
    """Neither evidence, nor output, nor the sentence on a fault, nor a seed, nor a digest."""
    text = ladder.ask(path).text
    assert [secret for secret in SECRETS if secret in text] == []
    assert "77100" not in text
    assert "BOT_SEED" not in text


def test_a_game_appears_when_both_games_of_its_pair_are_over(ladder: Hosted) -> None:
    """Until then its fleets would tell those of the other one."""
    assert ladder.ask("/games/3").status == 404
    assert ladder.ask("/api/games/3").status == 404
    with Ledger(ladder.folder.ledger) as ledger:
        ledger.add(game(2, 1))
    ladder.view.look()
    assert ladder.ask("/games/3").status == 200


def test_a_hidden_bot_is_on_no_public_page(ladder: Hosted) -> None:
    """Neither it, nor its games."""
    ladder.folder.invite("bob")
    ladder.folder.set("bob", hidden=True)
    ladder.view.look()
    assert "bob" not in ladder.ask("/").text
    for path in ("/bots/bob", "/games/2", "/api/games/2", "/api/bots/bob"):
        assert ladder.ask(path).status == 404
    assert ladder.ask("/api/games").json["games"] == []


def test_who_has_a_page_gets_it_once(ladder: Hosted) -> None:
    """An answer has an ETag, and is not sent again to who names it."""
    first = ladder.ask("/api/bots")
    again = ladder.ask("/api/bots", If_None_Match=first.headers["etag"])
    assert (first.status, again.status, again.text) == (200, 304, "")


def test_readers_get_the_last_page_while_the_next_is_made(
    ladder: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the reader who asked first waits for it."""
    last, front_page = ladder.ask("/").text, readers.pages.front_page
    is_made, may_end = threading.Event(), threading.Event()

    def slow(*given: Any, **named: Any) -> str:
        is_made.set()
        assert may_end.wait(60)
        return front_page(*given, **named)

    monkeypatch.setattr(readers.pages, "front_page", slow)
    ladder.view.snapshot = replace(ladder.view.snapshot)
    first = threading.Thread(target=ladder.ask, args=("/",))
    first.start()
    assert is_made.wait(60)
    assert ladder.ask("/").text == last
    assert first.is_alive()
    may_end.set()
    first.join()


API = {
    "/api/standings": "standings",
    "/api/bots": "ladder-bots",
    "/api/bots/ann": "ladder-bot",
    "/api/bots/nobody": "ladder-refusal",
    "/api/games": "ladder-games",
    "/api/games/2": "game-record",
    "/api/games/3": "ladder-refusal",
    "/api/uploads/1": "ladder-refusal",
    "/api/nothing": "ladder-refusal",
}


@pytest.mark.parametrize("path", API)
def test_each_answer_to_a_program_meets_its_schema(ladder: Hosted, path: str) -> None:
    """It is JSON, and a refusal too."""
    answer = ladder.ask(path)
    assert answer.headers["content-type"] == "application/json"
    assert (answer.status >= 400) == (API[path] == "ladder-refusal")
    assert schemas.problem(API[path], answer.json) is None


def test_an_answer_about_an_upload_meets_its_schema(ladder: Hosted) -> None:
    """When it is sent, and when a program asks for it later."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    sent = ladder.submit(token, "bot.sh", BOT)
    asked = ladder.ask("/api/uploads/1", Authorization=f"Bearer {token}")
    assert (sent.status, asked.status) == (202, 200)
    assert schemas.problem("ladder-upload", sent.json) is None
    assert asked.json == sent.json


def test_a_request_of_another_method_is_refused(ladder: Hosted) -> None:
    """It is told which methods there are."""
    answer = ladder.ask("/api/games", method="PUT", body=b"x")
    assert answer.status == 405
    assert {*answer.headers["allow"].split(", ")} == {"GET", "HEAD"}
    assert schemas.problem("ladder-refusal", answer.json) is None


def test_the_feed_tells_of_each_game(ladder: Hosted) -> None:
    """Also of those since the one that a reader has seen last."""
    with socket.create_connection(("127.0.0.1", ladder.port), timeout=60) as reader:
        reader.sendall(b"GET /api/feed HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 2\r\n\r\n")
        heard = b""
        while b'"number":3' not in heard:
            heard += reader.recv(4096)
        with Ledger(ladder.folder.ledger) as ledger:
            ledger.add(game(2, 1))
        while b'"number":4' not in heard:
            heard += reader.recv(4096)
    assert b'"number":2' not in heard
    events = [line for line in heard.splitlines() if line.startswith(b"data: ")]
    assert len(events) == 2
    for event in events:
        assert schemas.problem("ladder-game", json.loads(event.removeprefix(b"data: "))) is None


def test_the_feed_tells_the_last_games_at_once(
    ladder: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever number a reader has seen last, it gets a bounded number of games, in one write."""
    monkeypatch.setattr(readers, "MISSED", 2)
    with socket.create_connection(("127.0.0.1", ladder.port), timeout=60) as reader:
        reader.sendall(b"GET /api/feed HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n")
        heard = b""
        while b'"number":3' not in heard:
            heard += reader.recv(4096)
    (chunk,) = [part for part in heard.split(b"\r\n") if b"event: game" in part]
    assert [b'"number":%d' % number in chunk for number in (1, 2, 3)] == [False, True, True]


def test_a_bug_in_the_view_ends_no_view(ladder: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """The organiser reads of it, and later games are seen."""
    monkeypatch.setattr(view, "POLL_SECONDS", 0.01)
    look = ladder.view.look
    seen = threading.Event()

    def fails_once() -> None:
        if not ladder.bugs:
            raise ZeroDivisionError
        look()
        seen.set()

    monkeypatch.setattr(ladder.view, "look", fails_once)
    assert seen.wait(60)
    ladder.view.close()
    assert [type(ladder.bugs.pop())] == [ZeroDivisionError]


def test_an_order_shows_on_the_pages(ladder: Hosted) -> None:
    """It is an order of the organiser's, to the ledger of a ladder that runs."""
    with Ledger(ladder.folder.ledger) as ledger:
        ledger.order(lambda tally: order_entries.disqualify(tally, "ann", "cheats"))
    ladder.view.look()
    assert ladder.ask("/bots/ann").status == 404


def test_an_order_is_told_in_the_terminal_of_the_ladder(ladder: Hosted) -> None:
    """When it is given and when it is taken back, whichever process has written it."""
    ladder.notes.clear()
    for order in (
        lambda tally: order_entries.void(tally, [1, 2], "a trial"),
        lambda tally: order_entries.retire(tally, "ann"),
        lambda tally: order_entries.undo(tally, 1),
    ):
        with Ledger(ladder.folder.ledger) as ledger:
            ledger.order(order)
        ladder.view.look()
    assert ladder.notes == [
        "order 1: 2 games do not count any more: #1, #2",
        "order 2: ann is retired: its games count, and it is in no table",
        "order 1, void games #1, #2, is taken back",
    ]


def test_own_names_and_authors_stand_below_the_names(tmp_path: Path) -> None:
    """In the table, on the page of the bot and on its entrant's, if the bot says who it is."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        for first in (0, 1):
            ledger.add(introduced(game(1, first), ann=("Wolf", "Jane Doe")))
    with hosted(tmp_path) as ladder:
        tokens = [ladder.folder.invite(name) for name in ("ann", "bob")]
        ladder.view.look()
        front = ladder.ask("/").text
        assert front.count("“Wolf”, by Jane Doe") == front.count('about-bot">') == 1
        assert "<p>“Wolf”, by Jane Doe</p>" in ladder.ask("/bots/ann").text
        ann, bob = (ladder.ask("/me", Cookie=f"judge_token={token}").text for token in tokens)
        assert "<p>“Wolf”, by Jane Doe</p>" in ann
        assert "Wolf" not in bob + ladder.ask("/bots/bob").text


def test_games_beyond_the_most_recent_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that plays no more has its last games on its pages, after a restart too. The API goes
    back to the first game."""
    monkeypatch.setattr(view, "MOST_READ", 2)
    monkeypatch.setattr(view, "OF_BOT", 3)
    with Ledger(tmp_path / "ledger.json") as ledger:
        for record in (game(1, 0), forfeited(1, 1), game(2, 0), forfeited(2, 1)):
            ledger.add(record)
        for number in range(3):
            ledger.add(played(seed=9, names=("cat", "dog"), game_id=f"cat:dog:r:c:9.{number}"))
    with hosted(tmp_path) as ladder:
        token = ladder.folder.invite("ann")
        ladder.view.look()
        latest = ladder.ask("/api/bots/ann").json["latest"]
        assert [one["number"] for one in latest] == [4, 3, 2]
        older = ladder.ask("/api/games?before=4&most=2").json["games"]
        assert [one["number"] for one in older] == [3, 2]
        own = ladder.ask("/me", Cookie=f"judge_token={token}").text
        assert 'href="/me/games/2"' in own
        assert 'href="/me/games/4"' in own
        assert 'href="/me/games/3"' not in own


# What an entrant alone sees


def test_an_entrant_sees_what_the_own_bot_did_and_no_more(ladder: Hosted) -> None:
    """The evidence of the own loss; of the opponent nothing."""
    ann, bob = ladder.folder.invite("ann"), ladder.folder.invite("bob")
    ladder.view.look()
    own = ladder.ask("/me/games/2", Cookie=f"judge_token={ann}")
    other = ladder.ask("/me/games/2", Cookie=f"judge_token={bob}")
    assert own.status == other.status == 200
    for secret in ("the output of ann", "the stderr of ann", "what ann did wrong"):
        assert secret in own.text
        assert secret not in other.text
    assert "771001" not in own.text
    assert "771000" not in other.text
    assert 'href="/me/games/2"' in ladder.ask("/me", Cookie=f"judge_token={ann}").text


@pytest.mark.parametrize("why", ["forfeits in a row", "new version", "removed"])
def test_a_pair_that_is_never_completed_is_shown(tmp_path: Path, why: str) -> None:
    """The author sees the lost game and its stderr once the bot is not in the field in that version
    any more, and not while the other game of the pair may come."""
    record = forfeited(3, 0)
    playing = {seat.name: seat.digest for seat in record.seats}
    with hosted(tmp_path) as ladder:
        ann = ladder.folder.invite("ann")
        ladder.stderr.keep_of(["ann"])
        log = ladder.stderr.log(record.id, 0, "ann")
        log.stderr(b"thinks")
        log.close()
        with Ledger(ladder.folder.ledger) as ledger:
            ledger.add(record)
            ladder.view.look()
            ladder.view.take_field(playing.items())
            cookie = f"judge_token={ann}"
            assert ladder.ask("/me/games/1", Cookie=cookie).status == 404
            assert 'href="/me/games/1' not in ladder.ask("/me", Cookie=cookie).text
            if why == "forfeits in a row":
                for seed in range(10, 10 + IN_A_ROW):
                    ledger.add(game(seed, 0, forfeit=(0, Termination.CRASH)))
            elif why == "new version":
                ladder.view.take_field({**playing, "ann": "sha256:new"}.items())
            else:
                ladder.view.take_field([("bob", playing["bob"])])
        ladder.view.look()
        assert ladder.ask("/me/games/1", Cookie=cookie).status == 200
        assert ladder.ask("/me/games/1/stderr", Cookie=cookie).text == "thinks"
        page = ladder.ask("/me", Cookie=cookie).text
        assert 'href="/me/games/1"' in page
        assert 'href="/me/games/1/stderr"' in page


@pytest.mark.parametrize("why", ["forfeits in a row", "disqualified", "retired"])
def test_an_entrant_reads_why_the_bot_plays_no_more(tmp_path: Path, why: str) -> None:
    """An order, or forfeits of the version that plays; the next version is not told of those."""
    with hosted(tmp_path) as ladder:
        ann = ladder.folder.invite("ann")
        ladder.view.look()
        ladder.submit(ann, "bot.sh", BOT)
        upload = ladder.uploads.settle(ladder.uploads.by_name()["ann"][0], "accepted", "")
        with Ledger(ladder.folder.ledger) as ledger:
            for seed in range(IN_A_ROW):
                record = game(seed, 0, forfeit=(0, Termination.CRASH))
                seats = (replace(record.seats[0], digest=upload.digest), record.seats[1])
                ledger.add(replace(record, seats=seats))
            if why == "disqualified":
                ledger.order(lambda tally: order_entries.disqualify(tally, "ann", "cheats"))
            if why == "retired":
                ledger.order(lambda tally: order_entries.retire(tally, "ann"))
        ladder.view.look()
        assert why in ladder.ask("/me", Cookie=f"judge_token={ann}").text
        ladder.submit(ann, "bot.sh", BOT + b"#")
        ladder.uploads.settle(ladder.uploads.by_name()["ann"][0], "accepted", "")
        is_told = why in ladder.ask("/me", Cookie=f"judge_token={ann}").text
        assert is_told == (why != "forfeits in a row")


def test_an_entrant_reads_the_stderr_of_the_own_games(ladder: Hosted) -> None:
    """Won and lost, and those that are void by now, as plain text that no cache keeps. It is that of the
    own bot, and of a game whose pair is over; the page of the entrant leads to it."""
    ann, bob = ladder.folder.invite("ann"), ladder.folder.invite("bob")
    ladder.view.look()
    ladder.stderr.keep_of(["ann", "bob"])
    for record in (game(1, 0), game(2, 0)):
        log = ladder.stderr.log(record.id, 0, "ann")
        log.stderr(b"<b>thinks</b> \xff")
        log.close()
    with Ledger(ladder.folder.ledger) as ledger:
        ledger.order(lambda tally: order_entries.void(tally, [1], "a trial"))
    ladder.view.look()

    def asked(number: str, token: str) -> Answer:
        return ladder.ask(f"/me/games/{number}/stderr", Cookie=f"judge_token={token}")

    own = asked("1", ann)
    assert (own.status, own.text) == (200, "<b>thinks</b> \ufffd")
    assert own.headers["content-type"] == "text/plain; charset=utf-8"
    assert own.headers["x-content-type-options"] == "nosniff"
    assert own.headers["cache-control"] == "no-store"
    assert asked("1", bob).status == 404
    assert asked("1", "").status == 401
    for number in ("2", "3", "9", "-1", "1e0", "..%2f1", "%d9%a1"):
        assert asked(number, ann).status == 404
    page = ladder.ask("/me", Cookie=f"judge_token={ann}").text
    assert 'href="/me/games/1/stderr"' in page
    assert 'href="/me/games/3/stderr"' not in page
    assert "/stderr" not in ladder.ask("/me", Cookie=f"judge_token={bob}").text


def test_private_pages_are_kept_by_no_cache(ladder: Hosted) -> None:
    """Neither the page of an entrant, nor a token that is shown once."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    for answer in (
        ladder.ask("/me", Cookie=f"judge_token={token}"),
        ladder.ask(f"/enter/{token}"),
        ladder.send("/register", name="newcomer"),
    ):
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers


def test_a_link_enters_by_a_button(ladder: Hosted) -> None:
    """To open it changes nothing, so a program that looks at links enters nowhere. The cookie is seen by
    no script and sent from no other site's form."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    opened = ladder.ask(f"/enter/{token}")
    assert "set-cookie" not in opened.headers
    entered = ladder.send("/enter", token=token)
    assert (entered.status, entered.headers["location"]) == (303, "/me")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_no_site_is_told_the_token_of_a_link(ladder: Hosted) -> None:
    """Nor does a log of requests get it: a browser names the ladder alone as where it comes from."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    assert ladder.ask(f"/enter/{token}").headers["referrer-policy"] == "origin"


def test_a_new_token_opens_at_once(ladder: Hosted) -> None:
    """Who has registered is known when the token is shown, and is not taken for who guesses."""
    ladder.view.close()  # looks no more by itself
    cookie = ladder.send("/register", name="newcomer").headers["set-cookie"].partition(";")[0]
    assert ladder.ask("/me", Cookie=cookie).status == 200


def test_a_token_of_a_ladder_with_tls_is_sent_by_tls_alone(tmp_path: Path) -> None:
    """The cookie is secure where links begin with https."""
    with hosted(tmp_path, url="https://ladder.example", behind_proxy=True) as ladder:
        token = ladder.folder.invite("ann")
        ladder.view.look()
        answer = ladder.send("/enter", origin="https://ladder.example", token=token)
        assert "secure" in answer.headers["set-cookie"].lower()


def test_a_revoked_token_opens_nothing(ladder: Hosted) -> None:
    """Nor does the one before a new invitation."""
    old = ladder.folder.invite("ann")
    ladder.folder.invite("ann")
    new = ladder.folder.invite("bob")
    ladder.folder.set("bob", token=None)
    ladder.view.look()
    for token in (old, new):
        assert ladder.ask("/me", Cookie=f"judge_token={token}").status == 401
        assert ladder.submit(token, "bot.sh", BOT).status == 401
        assert ladder.ask(f"/enter/{token}").status == 404


def test_other_users_of_the_machine_read_nothing(tmp_path: Path) -> None:
    """The ladder's folder is closed to them, and so is each folder in one that was open before."""
    for path in (tmp_path / "new", tmp_path):
        HostFolder(path).make()
    made = (tmp_path / "new", *(tmp_path / name for name in ("bots", "uploads", "stderr")))
    assert {path.stat().st_mode & 0o777 for path in made} == {0o700}


def test_no_token_is_kept(ladder: Hosted) -> None:
    """A folder that is read gives nobody an entry."""
    token = (
        ladder.send("/register", name="newcomer").text.split("<pre")[1].split(">")[1].split("<")[0]
    )
    kept = b"".join(path.read_bytes() for path in ladder.folder.path.rglob("*") if path.is_file())
    assert len(token) == 43
    assert token.encode() not in kept


# Attacks


def test_who_guesses_tokens_is_slowed_down(ladder: Hosted) -> None:
    """After twenty of them; who has a token is served all the same."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    answers = [ladder.ask("/me", Cookie=f"judge_token=guess{number}") for number in range(25)]
    assert {answer.status for answer in answers[:20]} == {401}
    assert answers[-1].status == 429
    assert ladder.ask("/me", Cookie=f"judge_token={token}").status == 200


@pytest.mark.parametrize("path", ["/api/feed", "/live/events"])
def test_who_begins_streams_all_the_time_is_slowed_down(ladder: Hosted, path: str) -> None:
    """As is who has pages made all the time."""
    ladder.readers.gate.limits.pages = Allowance(3, 1000)
    assert ladder.streams(path, 4) == [200, 200, 200, 429]


@pytest.mark.parametrize("path", ["/api/feed", "/live/events"])
def test_streams_leave_room_for_pages(tmp_path: Path, path: str) -> None:
    """An address has ten, and all have ``most_streams``; the proxy says whose they are. A stream that ends
    makes room."""
    with hosted(tmp_path, behind_proxy=True, most_streams=12) as ladder, ExitStack() as until:
        assert ladder.streams(path, 11, until, "1.1.1.1") == [200] * 10 + [429]
        with ExitStack() as first:
            assert ladder.streams(path, 3, first, "1.1.1.2") == [200, 200, 503]
        assert ladder.ask("/api/bots", X_Forwarded_For="1.1.1.3").status == 200
        while ladder.streams(path, 1, until, "1.1.1.3") == [503]:
            pass


def test_pages_that_are_kept_are_bounded(ladder: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """In number, refused ones included; a page that is asked for again stays."""
    monkeypatch.setattr(readers, "MOST_PAGES", 3)
    for number in range(20):
        ladder.ask(f"/api/games?most=0&before={number}")
        ladder.ask("/api/bots")
    kept = ladder.readers._pages
    assert len(kept) == 3
    assert [*kept] == [("/api/games", 18, 0), ("/api/games", 19, 0), ("/api/bots",)]


@pytest.mark.parametrize("path", ["/enter", "/leave", "/register", "/me/upload"])
@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_a_form_of_another_page_does_nothing(ladder: Hosted, path: str, origin: str) -> None:
    """Whatever token the browser has."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    headers = {"Origin": origin} if origin else {}
    answer = ladder.ask(
        path, method="POST", body=b"name=newcomer", Cookie=f"judge_token={token}", **headers
    )
    assert answer.status == 403
    assert [one.name for one in ladder.folder.read().entrants] == ["ann"]


def test_a_page_of_another_name_is_refused(ladder: Hosted) -> None:
    """A name that somebody else has lead here reads nothing; that of the ladder does."""
    assert ladder.ask("/", host="evil.example").status == 421
    assert ladder.ask("/", host="ladder.example").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/..%2f..%2fhost.json",
        "/%2e%2e/host.json",
        "/host.json",
        "/ledger.json",
        "/bots/..%2fhost.json",
        "/bots/%00",
        "/games/..",
        "/games/1e9",
        "/games/-1",
        "/games/99999999999999999999",
        "/style-0000000000000000.css",
        "/api/uploads/1",
        "/live/games/1",
    ],
)
def test_no_path_leads_to_a_file_or_to_another(ladder: Hosted, path: str) -> None:
    """It is not there, and the answer says nothing of where the folder lies."""
    answer = ladder.ask(path)
    assert answer.status in (401, 404)
    assert str(ladder.folder.path) not in answer.text


def test_no_name_becomes_markup(tmp_path: Path) -> None:
    """It holds for a bot in a ledger, its own name and its author, a title, a file that is sent, and
    a text that is typed into a form."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        for first in (0, 1):
            record = played(seed=1, names=(ATTACK, "ann"), first=first, game_id=f"g{first}")
            ledger.add(introduced(record, ann=(ATTACK, ATTACK)))
    with hosted(tmp_path, is_open=True, title=ATTACK) as ladder:
        token = ladder.folder.invite("ann")
        ladder.view.look()
        ladder.upload(token, f"{ATTACK.replace('/', '')}.sh", BOT)
        pages = [
            ladder.ask("/").text,
            ladder.ask("/games/1").text,
            ladder.ask("/bots/ann").text,
            ladder.ask("/me", Cookie=f"judge_token={token}").text,
            ladder.send("/register", name=ATTACK).text,
        ]
    for page in pages:
        assert "<img" not in page
        assert "alert(1)" not in page or "&lt;img" in page or "\\u003cimg" in page


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "a/b",
        "-rf",
        "a" * 41,
        "a b",
        "a\u202eb",
        "p\u0430ypal",
        "ANN",
        "a\x00b",
        "café",
        "名前",
        "имя",
    ],
)
def test_a_name_is_one_that_nobody_takes_for_another(ladder: Hosted, name: str) -> None:
    """Registered are names of one script, without what is a path, an option or not seen."""
    ladder.folder.invite("ann")
    ladder.view.look()
    answer = ladder.send("/register", name=name)
    is_fine = name in ("café", "名前", "имя")
    assert answer.status == (200 if is_fine else 400)
    assert any(one.name == name for one in ladder.folder.read().entrants) == is_fine


@pytest.mark.parametrize("name", ["\u0430\u043e\u0435\u0441\u0440", "A0ECP"])
def test_a_name_looks_like_none_of_another_script(ladder: Hosted, name: str) -> None:
    """Nor like one that has a digit for a letter."""
    ladder.folder.invite("aoecp")
    ladder.view.look()
    answer = ladder.send("/register", name=name)
    assert answer.status == 400
    assert "looks like aoecp" in answer.text


@pytest.mark.parametrize("name", ["bob", "BOB", "sender"])
def test_a_name_of_a_former_bot_is_taken(ladder: Hosted, name: str) -> None:
    """Who gets it would see that bot's private pages and have its points, or its uploads. The
    organiser may give it to somebody."""
    ladder.uploads.receive("sender", "bot.sh", BOT)
    answer = ladder.send("/register", name=name)
    assert answer.status == 400
    assert "is taken" in answer.text
    assert ladder.folder.read().entrants == ()
    assert ladder.folder.invite(name)


def test_of_two_who_register_a_name_at_once_one_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one is refused, and the first one's token stays valid."""
    folder = HostFolder(tmp_path)
    folder.make()
    first: list[str] = []
    usual = folder.changing

    def later(**given: Any) -> AbstractContextManager[dict[str, Entrant]]:
        monkeypatch.setattr(folder, "changing", usual)
        first.append(folder.register("newcomer", approved=True))
        return usual(**given)

    monkeypatch.setattr(folder, "changing", later)
    with pytest.raises(UsageError, match="is taken"):
        folder.register("newcomer", approved=True)
    assert entrant_of(folder.read(), first[0]) is not None


def test_nobody_registers_where_the_organiser_invites(tmp_path: Path) -> None:
    with hosted(tmp_path) as ladder:
        assert ladder.send("/register", name="newcomer").status == 403
        assert ladder.folder.read().entrants == ()


def test_who_registers_waits_where_the_organiser_approves(tmp_path: Path) -> None:
    with hosted(tmp_path, is_open=True, is_approving=True) as ladder:
        assert ladder.send("/register", name="newcomer").status == 200
        assert [one.approved for one in ladder.folder.read().entrants] == [False]


def test_registrations_of_an_address_are_few(ladder: Hosted) -> None:
    """Three at once."""
    answers = [ladder.send("/register", name=f"n{number}").status for number in range(4)]
    assert answers == [200, 200, 200, 429]


def test_registrations_are_few_in_all(tmp_path: Path) -> None:
    """Sixty at once, from however many addresses; a name that cannot be had does not count."""
    with hosted(tmp_path, is_open=True, behind_proxy=True) as ladder:

        def register(name: str, number: int) -> int:
            return ladder.ask(
                "/register",
                method="POST",
                body=f"name={name}".encode(),
                Origin=ladder.origin,
                X_Forwarded_For=f"10.0.0.{number}",
            ).status

        assert [register("-rf", number) for number in range(10)] == [400] * 10
        assert [register(f"n{number}", number) for number in range(60)] == [200] * 60
        assert [register(f"n{number}", number) for number in range(60, 63)] == [429] * 3


def test_the_organiser_has_places_that_strangers_cannot_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And makes room by removing entrants, whose tokens are valid no more."""
    monkeypatch.setattr(folder_module, "MOST_REGISTERED", 2)
    folder = HostFolder(tmp_path)
    folder.make()
    tokens = [folder.register(name, approved=True) for name in ("n1", "n2")]
    with pytest.raises(UsageError, match="takes no more"):
        folder.register("n3", approved=True)
    folder.invite("ann")
    folder.remove(["n1", "n2"])
    assert [one.name for one in folder.read().entrants] == ["ann"]
    assert not any(entrant_of(folder.read(), token) for token in tokens)
    assert folder.register("n1", approved=True)


def test_who_registers_and_sends_nothing_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day later, once the list is full; whom the organiser has invited stays, and whose bot is
    known."""
    monkeypatch.setattr(folder_module, "MOST_REGISTERED", 3)
    folder = HostFolder(tmp_path)
    folder.make()
    folder.invite("ann")
    for name in ("bob", "cat"):
        folder.register(name, approved=True)
    with pytest.raises(UsageError, match="takes no more"):
        folder.register("dan", approved=True, known=["bob"])
    for name in ("ann", "bob", "cat"):
        folder.set(name, since="2026-01-01T00:00:00+00:00")
    folder.register("dan", approved=True, known=["bob"])
    assert [one.name for one in folder.read().entrants] == ["ann", "bob", "dan"]


def test_no_hidden_entrant_is_removed(ladder: Hosted) -> None:
    """Public pages would show the bot's games again. A name that nobody has removes nobody."""
    for name in ("ann", "bob"):
        ladder.folder.invite(name)
    ladder.folder.set("bob", hidden=True)
    for names, why in ((["ann", "bob"], "is hidden"), (["ann", "bo"], "Did you mean bob")):
        with pytest.raises(UsageError, match=why):
            ladder.folder.remove(names)
    assert [one.name for one in ladder.folder.read().entrants] == ["ann", "bob"]


def test_a_proxy_tells_addresses_and_a_reader_does_not(tmp_path: Path) -> None:
    """The words that a reader writes into the header stand before those that the proxy adds."""
    for behind, statuses in ((True, [200, 200, 200, 429, 200]), (False, [200, 200, 200, 429, 429])):
        with hosted(tmp_path / str(behind), is_open=True, behind_proxy=behind) as ladder:
            told = [
                "9.9.9.1, 1.1.1.1",
                "9.9.9.2, 1.1.1.1",
                "1.1.1.1",
                "9.9.9.3, 1.1.1.1",
                "2.2.2.2",
            ]
            found = [
                ladder.ask(
                    "/register",
                    method="POST",
                    body=f"name=n{number}".encode(),
                    Origin=ladder.origin,
                    X_Forwarded_For=address,
                ).status
                for number, address in enumerate(told)
            ]
            assert found == statuses


# Uploads


@pytest.mark.parametrize("way", ["upload", "submit"])
def test_an_upload_is_on_the_disk_when_it_is_acknowledged(ladder: Hosted, way: str) -> None:
    """And a ladder that begins again has it."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    answer = getattr(ladder, way)(token, "bot.sh", BOT)
    assert answer.status == {"upload": 303, "submit": 202}[way]
    assert ladder.checks.rung == 1
    folder = ladder.folder.uploads / "1"
    assert (folder / "archive").read_bytes() == BOT
    assert json.loads((folder / "upload.json").read_bytes())["state"] == "waiting"


def test_the_same_bot_again_is_the_same_upload(ladder: Hosted) -> None:
    """Sent again, by a client that did not hear the answer or by who has recorded it."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    numbers = [ladder.submit(token, "bot.sh", BOT).json["number"] for _ in range(3)]
    assert numbers == [1, 1, 1]
    assert [path.name for path in ladder.folder.uploads.iterdir()] == ["1"]


def test_uploads_at_once_have_numbers_of_their_own(ladder: Hosted) -> None:
    """Each is kept whole, and those of an entrant are told to that entrant alone."""
    tokens = {name: ladder.folder.invite(name) for name in ("a1", "b2", "c3", "d4", "e5")}
    ladder.view.look()
    found: dict[str, list[int]] = {name: [] for name in tokens}

    def send(name: str) -> None:
        for number in range(3):
            answer = ladder.submit(tokens[name], "bot.sh", BOT + f"# {name} {number}\n".encode())
            found[name].append(answer.json["number"])

    threads = [threading.Thread(target=send, args=(name,)) for name in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = [number for of_one in found.values() for number in of_one]
    assert sorted(numbers) == [*range(1, 16)]
    for name, of_one in found.items():
        archive = (ladder.folder.uploads / str(of_one[-1]) / "archive").read_bytes()
        assert archive == BOT + f"# {name} 2\n".encode()
    other = ladder.ask(f"/api/uploads/{found['a1'][0]}", Authorization=f"Bearer {tokens['b2']}")
    assert other.status == 404


def test_a_token_sends_few_uploads(ladder: Hosted) -> None:
    """Six at once."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    statuses = [
        ladder.submit(token, "bot.sh", BOT + str(number).encode()).status for number in range(7)
    ]
    assert statuses == [202] * 6 + [429]


def test_a_refused_upload_leaves_nothing(ladder: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its author reads why, without the place of the folder, however it is written."""
    monkeypatch.chdir(ladder.folder.path.parent)
    token = ladder.folder.invite("ann")
    ladder.view.look()
    assert ladder.submit(token, "a.zip", b"PK").json["error"].startswith("Refused: a.zip cannot be")
    for called, data in (
        ("a.zip", b"PK\x03\x04"),
        ("a.txt", b"text"),
        ("a" * 90 + ".txt", b"text"),
        ("bot.sh", bytes(4 * 2**20)),
    ):
        answer = ladder.submit(token, called, data)
        assert answer.status in (400, 413)
        assert answer.json["error"].endswith(".")
        assert not answer.json["error"].endswith("..")
        assert str(ladder.folder.path)[:40] not in answer.text
        assert "uploads/" not in answer.text
    assert [*ladder.folder.uploads.iterdir()] == []


@pytest.mark.parametrize(
    "command",
    [
        ["/etc/passwd"],
        ["../../../bin/sh"],
        ["python3", "-c", "open('/tmp/owned','w')"],
        ["/proc/self/exe"],
    ],
)
def test_a_manifest_executes_nothing_here(
    ladder: Hosted, command: list[str], tmp_path: Path
) -> None:
    """Whatever program it names: it is looked at, and run in the sandbox or refused."""
    import io
    import zipfile

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.json", json.dumps({"command": command}))
    token = ladder.folder.invite("ann")
    ladder.view.look()
    assert ladder.submit(token, "a.zip", data.getvalue()).status in (202, 400)
    assert not os.path.lexists("/tmp/owned")


def begun_upload(ladder: Hosted, token: str, length: int, more: str = "") -> socket.socket:
    """A connection that has sent the head of an upload of ``length`` bytes."""
    client = socket.create_connection(("127.0.0.1", ladder.port), timeout=60)
    client.sendall(
        f"POST /api/uploads?name=bot.sh HTTP/1.1\r\nHost: localhost\r\n{more}"
        f"Content-Length: {length}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    return client


def test_half_an_upload_is_none(ladder: Hosted) -> None:
    """A client that goes in its middle leaves nothing."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    with begun_upload(ladder, token, 1000) as client:
        client.sendall(b"half")
    assert ladder.submit(token, "bot.sh", BOT).json["number"] == 1
    assert [path.name for path in ladder.folder.uploads.iterdir()] == ["1"]


def test_a_slow_upload_ends(ladder: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has so long to come, and holds nobody else up."""
    monkeypatch.setattr(gate, "BODY_SECONDS", 0.3)
    token = ladder.folder.invite("ann")
    ladder.view.look()
    with socket.create_connection(("127.0.0.1", ladder.port), timeout=60) as client:
        client.sendall(
            f"POST /api/uploads?name=bot.sh HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
            f"Authorization: Bearer {token}\r\n\r\nslow".encode()
        )
        assert ladder.ask("/").status == 200
        assert client.recv(4096).startswith(b"HTTP/1.1 408")


def test_a_form_that_is_none_is_refused(
    ladder: Hosted, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a browser says that it sends. The terminal of the ladder says nothing of it."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as without pytest
    token = ladder.folder.invite("ann")
    ladder.view.look()
    for kind, body in (
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=a", b"--a\r\n\r\n\r\n--a"),
        ("text/plain", b"bot=1"),
        ("multipart/form-data; boundary=a", b"--other"),
        ("multipart/form-data; boundary=" + "a" * 500, b"--" + b"a" * 500),
    ):
        answer = ladder.ask(
            "/me/upload",
            method="POST",
            body=body,
            Origin=ladder.origin,
            Cookie=f"judge_token={token}",
            Content_Type=kind,
        )
        assert answer.status in (400, 429)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("charset", ["; charset=utf-7", "; Charset*=utf-7", ";charset=idna"])
def test_a_form_names_no_charset(ladder: Hosted, charset: str) -> None:
    """UTF-7 has half a surrogate pair in a name, with which a ladder would not begin again. IDNA
    takes seconds for a long field, in which no page is answered."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    head = b'--a\r\nContent-Disposition: form-data; name="bot"; filename="+2AA-.sh"\r\n\r\n'
    answer = ladder.ask(
        "/me/upload",
        method="POST",
        body=head + BOT + b"\r\n--a--\r\n",
        Origin=ladder.origin,
        Cookie=f"judge_token={token}",
        Content_Type=f"multipart/form-data; boundary=a{charset}",
    )
    assert answer.status == 400
    assert [*ladder.folder.uploads.iterdir()] == []


def test_an_upload_under_a_token_that_is_revoked_meanwhile_is_refused(ladder: Hosted) -> None:
    """Although its head came before."""
    token = ladder.folder.invite("ann")
    ladder.view.look()
    with begun_upload(ladder, token, len(BOT), "Expect: 100-continue\r\n") as client:
        assert client.recv(4096).startswith(b"HTTP/1.1 100")  # the ladder waits for the body
        ladder.folder.set("ann", token=None)
        ladder.view.look()
        client.sendall(BOT)
        assert client.recv(4096).startswith(b"HTTP/1.1 401")
    assert [*ladder.folder.uploads.iterdir()] == []


def test_a_form_of_many_fields_is_no_fault_of_the_judge(ladder: Hosted) -> None:
    """It is answered as any other, and nothing is told to the organiser."""
    fields = {f"f{number}": "x" for number in range(50)}
    assert ladder.send("/enter", token="guess", **fields).status == 401


def test_a_full_disk_loses_the_upload_and_says_so(
    ladder: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is left, and the ladder goes on."""
    from judge import writing

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    token = ladder.folder.invite("ann")
    ladder.view.look()
    with monkeypatch.context() as patch:
        patch.setattr(writing, "write", full)
        answer = ladder.submit(token, "bot.sh", BOT)
    assert answer.status == 507
    assert "No space left" in answer.json["error"]
    assert [*ladder.folder.uploads.iterdir()] == []
    assert ladder.submit(token, "bot.sh", BOT).status == 202
