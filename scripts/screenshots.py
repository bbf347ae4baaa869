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
import subprocess
import sys
import tempfile
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

# What is played and written, in an empty folder.
COMMANDS = (
    "fight exact hunter --seed 7 --quiet",
    "replay --html game.html",
    "rank bots --rounds 2 --seed 3 --ledger contest.json --quiet",
    "standings contest.json --html standings.html",
)
BOTS = ("random", "hunt", "parity", "hunter", "exact")
# Without these, Chromium looks for its makers' hosts; as root there is no sandbox.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


class Picture(NamedTuple):
    """A page at some place, in a window of that many pixels; or the live page of a ``fight`` once it
    has that many hits. It is taken in light and in dark."""

    page: str
    width: int
    height: int
    fight: str = ""
    hits: int = 0


TWO = "exact hunter --games 9 --seed 7 --delay 100ms"
NINE = (
    "captain hunt hunter parity random xbs-hunt Anna=hunter Bob=hunt Cid=parity "
    "--rules xbs --seed 7 --delay 200ms"
)
PICTURES = {
    "standings": Picture("standings.html", 1160, 900),
    "game": Picture("game.html#move=38", 1160, 760),
    "game-phone": Picture("game.html#move=25", 390, 760),
    "live": Picture("", 1160, 760, TWO, hits=12),
    "live-phone": Picture("", 390, 760, TWO, hits=12),
    "projector": Picture("?big", 1600, 900, NINE, hits=45),
}
SECONDS = 5  # after which a screen is taken
PATIENCE = 60.0
SIZES = ((120, 36), (80, 24), (60, 40), (40, 40))
PLAIN = (80, 24)  # the size that is taken without colours too
TABLE = "-m judge serve xbs --repeat 1000 --no-ledger --port 0 --web 0"
SEATS = "--min 3 --max 3 --auto-start --bot hunter --bot random"
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
@click.option("--only", type=click.Choice(list(PICTURES)), help="Make this picture alone.")
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
        for command in COMMANDS if screens is None else COMMANDS[:1]:
            judge(Path(scratch), command)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        if screens is not None:
            take_all(browser, Path(scratch), screens)
        for name, picture in PICTURES.items() if screens is None else ():
            if only in (None, name):
                take(browser, Path(scratch), picture, folder / name)
        browser.close()


def take(browser: Browser, scratch: Path, picture: Picture, path: Path) -> None:
    """One picture in both schemes, into files whose names begin with the path."""
    page = browser.new_page(viewport={"width": picture.width, "height": picture.height})
    with contextlib.ExitStack() as stack:
        if picture.fight:
            command = f"-m judge fight {picture.fight} --no-ledger --quiet --web 0".split()
            _, (port,) = stack.enter_context(served(scratch, *command))
            page.goto(f"http://127.0.0.1:{port}/{picture.page}")
            last = page.locator("td:is(.h, .x)").nth(picture.hits - 1)
            last.wait_for(timeout=1000 * PATIENCE)
        else:
            file, _, fragment = picture.page.partition("#")
            page.goto(f"{(scratch / file).as_uri()}#{fragment}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            shot = page.screenshot(animations="disabled")
            keep(shot, path.with_name(f"{path.name}-{scheme}.png"))
    page.close()


def keep(shot: bytes, path: Path) -> None:
    """Write a picture; exits if it is too large for the tree."""
    with Image.open(io.BytesIO(shot)) as image:  # 256 colours do for paper, ink and red
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"screenshots: {path} has more than {MOST_BYTES:,} bytes")


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
                        take_svg(browser, picture, path)
                        print(path)
        take_pages(browser, "live", web, folder)
    for name, command in PAGES.items():
        words = command.format(bots=scratch / "bots").split()
        with served(scratch, *words) as (_, (web,)):
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


def take_svg(browser: Browser, svg: str, path: Path) -> None:
    """A picture of an SVG, in a font of this machine."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    page = browser.new_page(viewport={"width": 1200, "height": 1000})
    page.set_content(f"<body style='margin:0'>{svg}</body>")
    page.locator("svg").first.screenshot(path=path)
    page.close()


if __name__ == "__main__":
    main()
