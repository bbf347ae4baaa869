"""A real browser for pages of the judge, behind conftest.py's fixture `browse`.

Every page is watched while it is open: what it asks for, and what it says on its console.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from needs import need

# As root there is no sandbox to be had; the rest keeps Chromium from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launched() -> Iterator[Browser]:
    """The machine's Chromium, without a window."""
    path = need("chromium", "chromium-browser", "google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Watched:
    """A tab, what its page has asked for but itself, and what its console said. A page of a
    ``site`` may ask for the other files there."""

    def __init__(self, page: Page, empty: str) -> None:
        self.page = page
        self._empty, self._size = empty, page.viewport_size
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))

    def begin(self, path: Path, site: Path | None) -> None:
        """From here on it shows this page."""
        self.path, self.site = path, site
        self.requests: list[str] = []
        self.said: list[str] = []

    def goto(self, fragment: str = "") -> Page:
        """Load the page anew, at that place in it."""
        self.leave()
        self.requests.clear()
        self.page.goto(self.path.as_uri() + fragment)
        return self.page

    def leave(self) -> None:
        """Show a page of nothing, at which no script runs."""
        if self.page.url != self._empty:
            self.page.goto(self._empty)

    def reset(self) -> None:
        """Be as a new tab is."""
        self.leave()
        self.page.emulate_media(media="null")
        self.page.mouse.move(0, 0)
        if self._size is not None and self.page.viewport_size != self._size:
            self.page.set_viewport_size(self._size)

    def assert_quiet(self) -> None:
        """Nothing was asked for but the file itself, its site's style and script and its own data,
        and nothing said."""
        shared = [path.as_uri() for path in (self.site.glob("*.[cj]s*") if self.site else ())]
        own = {self.path.as_uri(), *shared}
        other = [
            url
            for url in self.requests
            if url.partition("#")[0] not in own and not url.startswith("data:")
        ]
        assert other == []
        assert self.said == []


Browse = Callable[..., Watched]


class Windows:
    """Tabs, those of the same options in one window, and each of them for one page after another: a
    new tab is a new process of Chromium's, at four times the work of a page. The judge's pages keep
    nothing in a window, neither cookies nor a store."""

    def __init__(self, chromium: Browser, folder: Path) -> None:
        self._chromium = chromium
        self._empty = folder / "empty.html"
        self._empty.write_text("<!doctype html>")
        self._contexts: dict[str, BrowserContext] = {}
        self._free: dict[str, list[Watched]] = {}

    @contextmanager
    def tab(self, options: Mapping[str, Any]) -> Iterator[Watched]:
        """A tab that nobody else has meanwhile; where something went wrong, nobody has it again."""
        key = json.dumps(options, sort_keys=True)
        if key not in self._contexts:
            self._contexts[key] = self._chromium.new_context(**options)
            self._contexts[key].set_default_timeout(10_000)
        free = self._free.setdefault(key, [])
        if not free:
            free.append(Watched(self._contexts[key].new_page(), self._empty.as_uri()))
        tab = free.pop()
        yield tab
        tab.reset()
        free.append(tab)


def watching(windows: Windows, folder: Path) -> Iterator[Browse]:
    """Opens the text of a page, from a file, in a tab of its own: ``browse(html)``, with
    playwright's options for a context by name (``color_scheme``, ``viewport`` …). A page of a
    site is opened where it is: ``browse("games/1.html", site=folder)``.

    In the end, no page may have asked for anything or complained.
    """
    opened: list[Watched] = []

    with ExitStack() as tabs:

        def browse(
            html: str,
            fragment: str = "",
            name: str = "page.html",
            site: Path | None = None,
            **options: Any,
        ) -> Watched:
            path = folder / name if site is None else site / html
            if site is None:
                path.write_text(html, encoding="utf-8")
            watched = tabs.enter_context(windows.tab(options))
            watched.begin(path, site)
            opened.append(watched)
            watched.goto(fragment)
            return watched

        yield browse
        for watched in opened:
            watched.assert_quiet()


# Elements that look alike, in parents that look alike, have one contrast: the first of them is enough.
ALIKE = """() => {
    const numbers = new Map(), looks = new Map();
    for (const one of document.querySelectorAll("*")) {
        const { color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, textShadow }
            = getComputedStyle(one);
        const look = [looks.get(one.parentElement), one.localName, color, backgroundColor,
            backgroundImage, fontSize, fontWeight, opacity, textShadow].join();
        one.toggleAttribute("data-alike", numbers.has(look));
        if (!numbers.has(look)) numbers.set(look, numbers.size);
        looks.set(one, numbers.get(look));
    }
    const color = { id: "color-contrast", selector: ":not([data-alike])" };
    axe.configure({ rules: [color] });
}"""


def accessibility(page: Page, *tags: str) -> list[str]:
    """The faults that axe-core finds in the page as it stands, a line a finding; ``tags`` are the
    kinds of its rules, all unless given.

    It does not fetch style sheets that a page links to, for a page on disk may not fetch anything.
    """
    if not page.evaluate("'axe' in window"):
        axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        page.evaluate(f"() => {{ {axe} }}")
    page.evaluate(ALIKE)
    found = page.evaluate(
        """async tags => (await axe.run({
            preload: !document.querySelector("link[rel=stylesheet]"),
            resultTypes: ["violations"],  // what is well need not be described element by element
            ...(tags.length ? { runOnly: tags } : {}),
        })).violations""",
        tags,
    )
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]} {json.dumps(node['any'])[:400]}"
        for one in found
        for node in one["nodes"]
    ]


def in_both_schemes(page: Page) -> list[str]:
    """The faults that it finds in light and in dark, which are alike but for what is about
    colours."""
    found = accessibility(page)
    page.emulate_media(color_scheme="dark")
    found += accessibility(page, "cat.color")
    page.emulate_media(color_scheme="light")
    return found


def assert_open_to_all(page: Page) -> None:
    """It finds nothing on a wide screen in light and on a narrow one in dark, and nothing is wider than
    the screen."""
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert accessibility(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.emulate_media(color_scheme="light")
