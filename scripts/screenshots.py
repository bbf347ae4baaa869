"""Makes the pictures of the README and the guides anew, from real games, in a headless Chromium.

scripts/screenshots                # all of them, into scripts/pictures
scripts/screenshots --only game    # one
scripts/screenshots --screens DIR  # every full screen and the live page, to be looked at
"""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from screens import take_all

FOLDER = Path(__file__).parent / "pictures"
MOST_BYTES = 100_000  # of a picture

# What is played and written, in an empty folder.
COMMANDS = (
    "judge fight sinker hunter --seed 7 --quiet",
    "judge replay --html game.html",
    "judge rank bots --rounds 2 --seed 3 --ledger contest.json --quiet",
    "judge standings contest.json --html standings.html",
)
BOTS = ("random", "hunt", "parity", "hunter", "sinker")
# Without these, Chromium looks for its makers' hosts; as root there is no sandbox.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@dataclass(frozen=True)
class Picture:
    """A page at some place, in a window of that many pixels."""

    page: str
    width: int
    height: int
    scheme: Literal["light", "dark"] = "light"


PICTURES = {
    "standings": Picture("standings.html", 1160, 900),
    "game": Picture("game.html#move=38", 1160, 760),
    "game-phone": Picture("game.html#move=25", 390, 760, "dark"),
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
            arguments = shlex.split(command)[1:]
            subprocess.run(
                [sys.executable, "-m", "judge", *arguments],
                cwd=scratch,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        if screens is not None:
            take_all(browser, Path(scratch), screens)
        for name, picture in PICTURES.items() if screens is None else ():
            if only in (None, name):
                path = folder / f"{name}.png"
                take(browser, Path(scratch), picture, path)
                print(f"{path}: {path.stat().st_size:,} bytes")
        browser.close()


def take(browser: Browser, scratch: Path, picture: Picture, path: Path) -> None:
    """One picture; exits if it is too large for the tree."""
    file, _, fragment = picture.page.partition("#")
    page = browser.new_page(
        viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme
    )
    page.goto(f"{(scratch / file).as_uri()}#{fragment}")
    shot = page.screenshot(animations="disabled")
    page.close()
    with Image.open(io.BytesIO(shot)) as image:  # 256 colours do for paper, ink and red
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"screenshots: {path} has more than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
