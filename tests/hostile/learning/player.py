"""A player of broadsides that loses at once and then saves its data, by a trick: its own file name
without the suffix."""

import json
import os
import sys
import time

TRICK = os.path.basename(__file__).partition(".")[0]
DATA = f"{TRICK}.txt"
FOLDER = os.path.dirname(__file__)


def write(name, text="more\n", mode="a"):
    with open(name, mode) as file:
        file.write(text)


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def fails(action, *arguments):
    """Why something cannot be done; None if it can."""
    try:
        action(*arguments)
    except OSError as error:
        return error.strerror
    return None


def outlive():
    """Leave a process of its own session that writes on and on."""
    ready, done = os.pipe()
    if not os.fork():
        os.setsid()
        if not os.fork():
            number = 0
            while True:
                write(f"{DATA}.new", f"{number} " * 100_000, "w")
                os.replace(f"{DATA}.new", DATA)
                os.write(done, b"!")
                number += 1
        os._exit(0)
    os.read(ready, 1)


def look_around():
    """Tell what there is of an opponent, and what can be done to its files."""
    others = [name for name in ("plays.py", "plays.txt") if os.path.exists(f"{FOLDER}/{name}")]
    above = [place for place, _, names in os.walk(os.path.dirname(FOLDER)) if "plays.txt" in names]
    found = {
        "here": sorted(os.listdir(".")),
        "others": others,
        "above": above,
        "read": fails(open, "/proc/1/environ", "rb"),
    }
    write(DATA, json.dumps(found), "w")


def remove_and(action, *arguments):
    """Do something in place of the data."""
    os.remove(DATA)
    action(*arguments)


def has_hostile_names():
    os.remove(DATA)
    for suffix in ("\n\x1b[2J", "é", "..", ". ", ".py", ".RB", "." + "x" * 21):
        write(TRICK + suffix)
    write("$(reboot).txt")


def has_several():
    os.remove(DATA)
    write(f"{TRICK}.a")
    write(f"{TRICK}.b")


def has_another_besides():
    write(f"{TRICK}.a")
    write(DATA)


def writes_many():
    for number in range(9_000):
        write(f"{TRICK}.{number}", "")


def closes_its_folder():
    write(DATA)
    os.chmod(".", 0)


def links_its_own():
    os.link(DATA, "another")
    write(DATA)


def changes_itself():
    with open(__file__) as file:
        is_as_it_was = "changed" + "!" not in file.read()
    write(DATA, f"{is_as_it_was}\n")
    write(__file__, "# changed" + "!\n")


def beside_itself():
    os.chdir("/")
    write(f"{FOLDER}/{DATA}")


def is_killed_while_it_saves():
    write(DATA)
    time.sleep(60)


def writes_after_its_last_word():
    say("FINISH")
    time.sleep(0.2)
    write(DATA)


TRICKS = {
    "plays": lambda: write(DATA),
    "beside_itself": beside_itself,
    "forgets": lambda: os.remove(DATA),
    "renames": lambda: os.rename(DATA, f"{TRICK}.v2"),
    "links": lambda: remove_and(os.symlink, "/etc/passwd", DATA),
    "links_to_another": lambda: remove_and(os.symlink, f"{TRICK}.py", DATA),
    "links_its_own": links_its_own,
    "makes_a_pipe": lambda: remove_and(os.mkfifo, DATA),
    "makes_a_folder": lambda: remove_and(os.mkdir, DATA),
    "is_large": lambda: write(DATA, "x" * 11 * 2**20, "w"),
    "is_sparse": lambda: os.truncate(DATA, 11 * 2**20),
    "is_sparse_within_the_limit": lambda: os.truncate(DATA, 10 * 2**20),
    "has_hostile_names": has_hostile_names,
    "has_a_name_that_is_no_text": lambda: write(os.fsencode(TRICK) + b".\xff\xfe"),
    "has_several": has_several,
    "has_another_besides": has_another_besides,
    "writes_many": writes_many,
    "closes_it": lambda: os.chmod(DATA, 0),
    "closes_its_folder": closes_its_folder,
    "moves_its_folder": lambda: fails(os.rename, FOLDER, f"{FOLDER}.old"),
    "outlives_its_game": outlive,
    "changes_itself": changes_itself,
    "looks_around": look_around,
    "is_killed_while_it_saves": is_killed_while_it_saves,
    "writes_after_its_last_word": writes_after_its_last_word,
}


for line in sys.stdin:
    if line.startswith("ACTION SHIPS"):
        say("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H")
    elif line.startswith("ACTION SHOTS"):
        say("SHOTS at random")
    elif line.startswith("ACTION FINISH"):
        TRICKS[TRICK]()
        say("FINISH")
