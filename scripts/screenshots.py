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
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click
import pexpect  # type: ignore[import-untyped]  # it has no types
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from rich.color import blend_rgb
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME, TerminalTheme

from bench_serve import served

FOLDER = Path(__file__).parent / "pictures"
MOST_BYTES = 100_000  # of a picture

SCENES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
BOTS = ("random", "hunt", "parity", "hunter", "exact")
# Without these, Chromium looks for its makers' hosts; as root there is no sandbox.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


class Picture(NamedTuple):
    """A page at some place, in a window of that many pixels; or the live page of a ``command`` once
    it has this ``number`` of elements that are ``shown``. It is taken in light and in dark."""

    width: int
    height: int
    page: str = ""
    command: str = ""
    shown: str = "td:is(.h, .x)"
    number: int = 1


class Terminal(NamedTuple):
    """A command's screen of this size after these keys, as Textual calls them."""

    command: str
    keys: str = ""
    columns: int = 80
    rows: int = 24
    is_plain: bool = False


PICTURES = {name: Picture(**one) for name, one in SCENES["pictures"].items()}
PAGES = {name: Picture(**one) for name, one in SCENES["pages"].items()}
TERMINALS = {name: Terminal(**one) for name, one in SCENES["terminals"].items()}
SCREENS = {name: Terminal(**one) for name, one in SCENES["screens"].items()}
# Plays as hunt does, but so slowly that its game is still played when its picture is taken.
SLOW = {"command": ["sh", "-c", 'sleep 0.1; exec python3 -S bot.py "$0"'], "wire": "open"}
SECONDS = 5  # after which a screen is taken
PATIENCE = 60.0
SIZES = ((120, 36), (80, 24), (60, 40), (40, 40))
PLAIN = (80, 24)  # the size that is taken without colours too
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


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
    folder = screens or folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        scratch = Path(temporary)
        for bot in BOTS:
            shutil.copytree(FOLDER.parent.parent / "bots" / bot, scratch / "bots" / bot)
        shutil.copytree(scratch / "bots" / "hunt", scratch / "slow")
        (scratch / "slow" / "bot.json").write_text(json.dumps(SLOW))
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        with tables(scratch) as ports:
            if screens:
                make(scratch, "ledger.json")
                make(scratch, "contest.ledger.json")
            for name, scene in in_all_sizes() if screens else (PICTURES | TERMINALS).items():
                if only not in (None, name) and not screens:
                    continue
                if isinstance(scene, Picture):
                    take(browser, scratch, scene, folder / name)
                else:
                    svg = drawn(scratch, scene, ports)
                    for scheme, drawing in (("dark", svg), ("light", in_light(svg))):
                        keep(shot_of(browser, drawing), folder / f"{name}-{scheme}.png")
        browser.close()
    if not screens:
        for path in folder.iterdir():
            if (size := path.stat().st_size) > MOST_BYTES:
                raise SystemExit(f"screenshots: {path} has {size:,} bytes, over {MOST_BYTES:,}")


def in_all_sizes() -> Iterator[tuple[str, Picture | Terminal]]:
    """Every full screen, and the live page of commands, with the names of their pictures."""
    for (name, screen), (row, (columns, rows)) in product(SCREENS.items(), enumerate(SIZES, 2)):
        sized = screen._replace(columns=columns, rows=rows, keys=screen.keys.format(row=row))
        yield f"{name}-{columns}x{rows}", sized
        if (columns, rows) == PLAIN:
            yield f"{name}-{columns}x{rows}-plain", sized._replace(is_plain=True)
    yield from ((name, page) for name, page in (PICTURES | PAGES).items() if page.command)


def take(browser: Browser, scratch: Path, picture: Picture, path: Path) -> None:
    """One picture in both schemes, into files whose names begin with the path."""
    page = browser.new_page(viewport={"width": picture.width, "height": picture.height})
    with contextlib.ExitStack() as stack:
        if picture.command:
            # A server says the port of its page on stdout, and other commands on stderr.
            command = ("-m", "judge", *picture.command.split())
            said = {"lines": 2} if "serve" in command else {"stderr": subprocess.STDOUT}
            _, (port, *_) = stack.enter_context(served(scratch, *command, **said))
            page.goto(f"http://127.0.0.1:{port}/{picture.page}")
            last = page.locator(picture.shown).nth(picture.number - 1)
            last.wait_for(timeout=1000 * PATIENCE)
        else:
            file, _, fragment = picture.page.partition("#")
            make(scratch, file.partition("/")[0])
            page.goto(f"{(scratch / file).as_uri()}#{fragment}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            keep(
                page.screenshot(animations="disabled"), path.with_name(f"{path.name}-{scheme}.png")
            )
    page.close()


@contextlib.contextmanager
def tables(scratch: Path) -> Iterator[dict[str, int]]:
    """The ports of the tables, by their names."""
    ports = {}
    with contextlib.ExitStack() as until:
        for name, command in SCENES["tables"].items():
            server = served(scratch, "-m", "judge", *command.split(), lines=2)
            _, (_, ports[name]) = until.enter_context(server)
        yield ports


def keep(shot: bytes, path: Path) -> None:
    """Write a picture."""
    with Image.open(io.BytesIO(shot)) as image:  # 256 colours do for paper, ink and red
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")


def make(scratch: Path, file: str) -> None:
    """Make a file or folder, unless it is there."""
    made = SCENES["made"]
    if not (scratch / file).exists():
        words = made[file].split()
        for other in made.keys() & {*words} - {file}:
            make(scratch, other)
        command = [sys.executable, "-m", "judge", *words]
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)


def drawn(scratch: Path, terminal: Terminal, ports: dict[str, int]) -> str:
    """A screen as SVG, on a dark ground."""
    file = scratch / "screen.svg"
    file.unlink(missing_ok=True)
    command = terminal.command.format(**ports)
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    said = pexpect.run(
        shlex.join([sys.executable, "-m", "judge", *command.split()]),
        cwd=str(scratch),
        dimensions=(terminal.rows, terminal.columns),
        timeout=PATIENCE,
        env=variables
        | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        | {"TEXTUAL_SCREENSHOT": str(SECONDS), "TEXTUAL_SCREENSHOT_FILENAME": file.name}
        | {"TEXTUAL_SCREENSHOT_LOCATION": str(scratch), "TEXTUAL_PRESS": terminal.keys}
        | ({"NO_COLOR": "1"} if terminal.is_plain else {}),
    )
    if not file.exists():
        raise SystemExit(f"screenshots: judge {command} shows no screen:\n{said!r}")
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
