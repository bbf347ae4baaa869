"""Makes the pictures of the README and the guides anew, from real games, in a headless Chromium.

scripts/screenshots                # all of them, into scripts/pictures
scripts/screenshots --only game    # one
scripts/screenshots --screens DIR  # every full screen and the live page, to be looked at

Each screen is that of a real command in a terminal of some size, as Textual draws it itself, on a
dark and on a light ground.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

import click
import pexpect  # type: ignore[import-untyped]  # it has no types
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from rich.color import blend_rgb
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME, TerminalTheme

from bench_serve import served

FOLDER = Path(__file__).parent / "pictures"
MOST_BYTES = 100_000  # of a picture

# The commands that make each file or folder, in an empty folder. One that names another file of
# these needs it.
MADE = {
    "ledger.json": "fight exact hunter --seed 7 --quiet --ledger ledger.json",
    "game.html": "replay --ledger ledger.json --html game.html",
    "contest.json": "rank bots --rounds 2 --seed 3 --ledger contest.json --quiet",
    "standings.html": "standings contest.json --html standings.html",
    "site": "site site --ledger contest.json --quiet",
    "cup.json": "rank bots --format knockout --games 3 --seed 3 --ledger cup.json --quiet",
    "bracket.html": "standings cup.json --html bracket.html",
}
BOTS = ("random", "hunt", "parity", "hunter", "exact")
# Without these, Chromium looks for its makers' hosts; as root there is no sandbox.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


class Picture(NamedTuple):
    """A page at some place, in a window of that many pixels; or the live page of a ``command`` once
    it has this ``number`` of elements that are ``shown``. It is taken in light and in dark."""

    page: str
    width: int
    height: int
    command: str = ""
    shown: str = "td:is(.h, .x)"
    number: int = 1


class Terminal(NamedTuple):
    """A command's screen of this size after these keys, as Textual calls them. ``players`` sit down
    at its table, and each shoots this number of ``shots``."""

    command: str
    keys: str
    columns: int
    rows: int
    players: tuple[str, ...] = ()
    shots: int = 0


WEB = "--no-ledger --quiet --web 0"
TWO = f"-m judge fight exact hunter --games 9 --seed 7 --delay 100ms {WEB}"
NINE = (
    "-m judge fight captain hunt hunter parity random xbs-hunt Anna=hunter Bob=hunt Cid=parity "
    f"--rules xbs --seed 7 --delay 200ms {WEB}"
)
TABLE = "-m judge serve xbs --repeat 1000 --no-ledger --port 0 --web 0"
SEATS = "--min 3 --max 3 --auto-start --bot hunter --bot random"
LOBBY = f"{TABLE} --title Pond --bot captain --bot xbs-hunt --bot hunter --min 4 --max 6"
BOATS = "AAAAA.BBBB" + "." * 10 + "CCC.DDD.EE" + "." * 70  # the board of each player
SAID = "M,space,r,o,u,n,d,space,2,enter"
PICTURES = {
    "standings": Picture("standings.html", 1160, 900),
    "bracket": Picture("bracket.html", 1160, 760),
    "bot": Picture("site/bots/hunter.html", 1160, 900),
    "site-phone": Picture("site/index.html", 390, 760),
    "game": Picture("game.html#move=38", 1160, 760),
    "game-phone": Picture("game.html#move=25", 390, 760),
    "lobby": Picture("", 1160, 640, LOBBY, shown="#waiting li", number=3),
    "live": Picture("", 1160, 760, TWO, number=12),
    "live-phone": Picture("", 390, 760, TWO, number=12),
    "projector": Picture("?big", 1600, 900, NINE, number=45),
}
TERMINALS = {
    "host": Terminal(
        "serve xbs --title Pond --max 4 --no-ledger --port {port}",
        f"wait:1500,S,enter,y,enter,wait:1000,{SAID}",
        *(100, 20),
        players=("ann", "bob", "cid"),
        shots=4,
    ),
    "choose": Terminal(
        "join xbs://127.0.0.1:{lobby} --name ann", "wait:1500,c,h,o,o,s,e,enter", 120, 36
    ),
    "join": Terminal("join xbs://127.0.0.1:{game} --name ann --fleet random", "", 100, 32),
}
SECONDS = 5  # after which a screen is taken
PATIENCE = 60.0
SIZES = ((120, 36), (80, 24), (60, 40), (40, 40))
PLAIN = (80, 24)  # the size that is taken without colours too
CONTEST = "fight contest-hunt contest-random --rules contest --games 3 --seed 5 --quiet"
# Commands that have a live page, each of which takes longer than the pictures of it.
PAGES = {
    "fight": "-m judge fight exact hunter --games 9 --seed 7 --delay 1s --no-ledger --quiet --web 0",
    "rank": "-m judge rank {bots} --format knockout --games 400 --seed 3 --ledger pages.json --quiet --web 0",
}
WINDOWS = (("", 1160, 900), ("", 390, 760), ("?big", 1600, 900))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Screen(NamedTuple):
    """A command whose screen is taken after these keys, as Textual calls them."""

    command: str
    keys: str = ""


# At a table where a game goes on from picture to picture: a row of its own is shot at for each.
SHOTS = ",".join(
    ["wait:1500", *"at", "space", *"hunter", "enter"]
    + [f"{column},{{row}},enter,wait:700" for column in "cfi"]
)
SCREENS = {
    "replay": Screen("replay", "1,2,enter"),
    "replay-fog": Screen("replay", "end,f"),
    "contest": Screen("replay contest.ledger.json --which last", "1,2,enter"),
    "watch": Screen("fight exact hunter --watch --delay 30s --no-ledger --seed 7"),
    "play-laying": Screen("play hunter --seed 3", "right,down,enter,down,down"),
    "play-aiming": Screen("play hunter --seed 3 --first a", "x,enter,wait:1000,right,down"),
    "join-placing": Screen("join xbs://127.0.0.1:{lobby} --name ann"),
    "join-game": Screen("join xbs://127.0.0.1:{game} --name ann --fleet random", SHOTS),
}


@click.command()
@click.option("--only", type=click.Choice([*PICTURES, *TERMINALS]), help="Make this picture alone.")
@click.option("--folder", type=click.Path(path_type=Path), default=FOLDER, help="Where to.")
@click.option(
    "--screens",
    type=click.Path(path_type=Path),
    help="Take every full screen and the live page instead, into this folder.",
)
def main(only: str | None, folder: Path, screens: Path | None) -> None:
    """Make the pictures of the README and the guides."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("screenshots: there is no chromium on the PATH")
    folder = folder if screens is None else screens
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        for bot in BOTS:
            shutil.copytree(FOLDER.parent.parent / "bots" / bot, Path(scratch, "bots", bot))
        if screens is not None:
            make(Path(scratch), "ledger.json")
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        if screens is not None:
            take_all(browser, Path(scratch), screens)
        for name in [*PICTURES, *TERMINALS] if screens is None else ():
            if only not in (None, name):
                continue
            if name in PICTURES:
                take(browser, Path(scratch), PICTURES[name], folder / name)
            else:
                take_terminal(browser, Path(scratch), TERMINALS[name], folder / name)
        browser.close()


def take(browser: Browser, scratch: Path, picture: Picture, path: Path) -> None:
    """One picture in both schemes, into files whose names begin with the path."""
    page = browser.new_page(viewport={"width": picture.width, "height": picture.height})
    with contextlib.ExitStack() as stack:
        if picture.command:
            port = stack.enter_context(live(scratch, picture.command))
            page.goto(f"http://127.0.0.1:{port}/{picture.page}")
            last = page.locator(picture.shown).nth(picture.number - 1)
            last.wait_for(timeout=1000 * PATIENCE)
        else:
            file, _, fragment = picture.page.partition("#")
            make(scratch, file.partition("/")[0])
            page.goto(f"{(scratch / file).as_uri()}#{fragment}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            shot = page.screenshot(animations="disabled")
            keep(shot, path.with_name(f"{path.name}-{scheme}.png"))
    page.close()


@contextlib.contextmanager
def live(scratch: Path, command: str) -> Iterator[int]:
    """The port of a command's live page, which a server says on stdout, and others on stderr."""
    is_server = " serve " in command
    told = {"lines": 2} if is_server else {"stderr": subprocess.STDOUT}
    with served(scratch, *command.split(), **told) as (_, (port, *_)):
        yield port


def take_terminal(browser: Browser, scratch: Path, terminal: Terminal, path: Path) -> None:
    """A picture of a screen, on a dark and on a light ground."""
    port = free_port()
    with (
        served(scratch, *f"{TABLE} {SEATS}".split(), lines=2) as (_, (_, game)),
        served(scratch, *f"{TABLE} --max 9".split(), lines=2) as (_, (_, lobby)),
    ):
        for name in terminal.players:
            threading.Thread(target=play, args=(port, name, terminal.shots), daemon=True).start()
        command = terminal.command.format(port=port, game=game, lobby=lobby)
        keys = terminal.keys or SHOTS.format(row=3)
        svg = drawn(scratch, command, keys, terminal.columns, terminal.rows, plain=False)
    for scheme, picture in (("dark", svg), ("light", in_light(svg))):
        keep(shot_of(browser, picture), path.with_name(f"{path.name}-{scheme}.png"))


def free_port() -> int:
    """A free port that published clients take, the usual one if nobody has it."""
    for port in range(7948, 8048):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise SystemExit("screenshots: the ports from 7948 to 8047 are in use")


def play(port: int, name: str, shots: int) -> None:
    """Sit down at the table at a port as soon as it is there, and shoot some times at whoever comes
    next."""
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    with connection, connection.makefile("rw") as lines, contextlib.suppress(OSError):
        print(f"J|{name}|{BOATS}", file=lines, flush=True)
        order: list[str] = []
        for line in lines:
            kind, *values = line.strip().split("|")
            if kind == "S":
                order = values
            elif kind == "N" and values == [name] and shots:
                other = order[order.index(name) - 1]
                print(f"S|{other}|{shots}|{order.index(name) + 1}", file=lines, flush=True)
                shots -= 1


def keep(shot: bytes, path: Path) -> None:
    """Write a picture; exits if it is too large for the tree."""
    with Image.open(io.BytesIO(shot)) as image:  # 256 colours do for paper, ink and red
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"screenshots: {path} has more than {MOST_BYTES:,} bytes")


def make(scratch: Path, file: str) -> None:
    """Make a file or folder of `MADE`, unless it is there."""
    if not (scratch / file).exists():
        words = MADE[file].split()
        for other in MADE.keys() & {*words} - {file}:
            make(scratch, other)
        judge(scratch, MADE[file])


def judge(scratch: Path, command: str) -> None:
    """Run a command of the judge in a folder."""
    words = [sys.executable, "-m", "judge", *shlex.split(command)]
    subprocess.run(words, cwd=scratch, check=True, stdout=subprocess.DEVNULL)


def take_all(browser: Browser, scratch: Path, folder: Path) -> None:
    """All of them, of commands that run in a scratch folder with a ledger in it."""
    judge(scratch, f"{CONTEST} --ledger contest.ledger.json")
    with (
        served(scratch, *f"{TABLE} {SEATS}".split(), lines=2) as (_, (web, game)),
        served(scratch, *f"{TABLE} --max 4".split(), lines=2) as (_, (_, lobby)),
    ):
        for name, screen in SCREENS.items():
            command = screen.command.format(game=game, lobby=lobby)
            for row, (columns, rows) in enumerate(SIZES, 2):
                keys = screen.keys.format(row=row)
                for plain in (False, True)[: 1 + ((columns, rows) == PLAIN)]:
                    svg = drawn(scratch, command, keys, columns, rows, plain=plain)
                    for scheme, picture in (("dark", svg), ("light", in_light(svg))):
                        size = f"{columns}x{rows}{'-plain' * plain}"
                        path = folder / f"{name}-{size}-{scheme}.png"
                        path.write_bytes(shot_of(browser, picture))
                        print(path)
        take_pages(browser, "live", web, folder)
    for name, command in PAGES.items():
        with live(scratch, command.format(bots=scratch / "bots")) as web:
            take_pages(browser, f"live-{name}", web, folder)


def take_pages(browser: Browser, name: str, port: int, folder: Path) -> None:
    """A live page as it is after some seconds, in all windows."""
    for (query, width, height), scheme in product(WINDOWS, SCHEMES):
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(f"http://127.0.0.1:{port}/{query}")
        page.wait_for_timeout(1000 * SECONDS)
        path = folder / f"{name}{query.replace('?', '-')}-{width}-{scheme}.png"
        page.screenshot(path=path, full_page=not query)
        page.close()
        print(path)


def drawn(scratch: Path, command: str, keys: str, columns: int, rows: int, *, plain: bool) -> str:
    """A screen as SVG, on a dark ground."""
    file = scratch / "screen.svg"
    file.unlink(missing_ok=True)
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "judge", *shlex.split(command)],
        cwd=str(scratch),
        dimensions=(rows, columns),
        timeout=PATIENCE,
        env=variables
        | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        | {"TEXTUAL_SCREENSHOT": str(SECONDS), "TEXTUAL_SCREENSHOT_FILENAME": file.name}
        | {"TEXTUAL_SCREENSHOT_LOCATION": str(scratch), "TEXTUAL_PRESS": keys}
        | ({"NO_COLOR": "1"} if plain else {}),
    )
    child.expect(pexpect.EOF)
    child.close()
    if not file.exists():
        raise SystemExit(f"screenshots: judge {command} shows no screen:\n{child.before!r}")
    return file.read_text()


def in_light(svg: str) -> str:
    """The same on a light ground. The screens have the ground and the text of the terminal; other
    colours are of the 256, which are the same everywhere."""
    changed = [_shades(theme) for theme in (SVG_EXPORT_THEME, DEFAULT_TERMINAL_THEME)]
    for dark, light in zip(*changed, strict=True):
        svg = svg.replace(dark, light)
    return svg


def _shades(theme: TerminalTheme) -> list[str]:
    """The ground, the text and dim text, as Rich writes them in SVG."""
    ground, text = theme.background_color, theme.foreground_color
    return [shade.hex for shade in (ground, text, blend_rgb(text, ground, 0.4))]


def shot_of(browser: Browser, svg: str) -> bytes:
    """The picture of an SVG as PNG, in a font of this machine."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    page = browser.new_page(viewport={"width": 1200, "height": 1000})
    page.set_content(f"<body style='margin:0'>{svg}</body>")
    shot = page.locator("svg").first.screenshot()
    page.close()
    return shot


if __name__ == "__main__":
    main()
