"""A player that lives for a match, in the protocol of tests/support/lines.py; with a trick, which
is its argument. It hits with its first two shots, unless its trick is about something else."""

import contextlib
import json
import mmap
import os
import resource
import signal
import sys
import threading
import time

TRICK = sys.argv[1]
SHOTS = ["0 0", "1 0"] * 20
MANY = 20  # shots into the water, before the others


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def complain(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def sleep():
    time.sleep(600)


def kept(number, shared):
    """So many MiB of memory, touched."""
    size = number * 2**20
    if not shared:
        return bytearray(os.urandom(1) * size)
    room = mmap.mmap(-1, size)
    for place in range(0, size, 4096):
        room[place] = 1
    return room


def at_start():
    """Before it has read anything."""
    if TRICK == "answers_ahead_and_never_reads":
        say("0 0 h")
        for shot in SHOTS:
            say(shot)
        sleep()
    if TRICK == "answers_ahead":
        say("0 0 h")
        for shot in SHOTS:
            say(shot)
    if TRICK == "never_answers":
        sleep()
    if TRICK == "crashes_at_once":
        sys.exit(3)
    if TRICK == "exits_at_once":
        sys.exit(0)
    if TRICK == "shows_its_place":
        names = sorted(os.listdir("."))
        if "log" in names:
            with open("log/here", "w") as file:
                file.write("kept")
        homes = os.environ["HOME"], os.environ["TMPDIR"], os.environ["BOT_SEED"]
        open_now = sorted(os.listdir("/proc/self/fd"))  # and one to list them
        complain(json.dumps([os.getcwd(), names, *homes, open_now, limits()]))
    if TRICK == "talks":
        complain("first" + "x" * 2**20 + "last")
    if TRICK == "spins":
        threading.Thread(target=spin, daemon=True).start()


def limits():
    return {
        name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]
        for name in ("CPU", "DATA", "NPROC")
    }


def spin():
    while True:
        pass


def after_placing():
    if TRICK == "floods":
        while True:
            say("junk " * 100)
    if TRICK in ("leaves_a_child_on_the_pipe", "leaves_a_child_and_crashes"):
        if not os.fork():
            sleep()
        os._exit(3 if TRICK.endswith("crashes") else 0)
    if TRICK == "closes_stdin":
        sleep()
    if TRICK == "closes_stdout":
        os.close(1)
        sleep()


def flood():
    while True:
        sys.stdout.write("1" * 4096)


def take_back():
    """Take back what it writes between the judge's poll and the judge's read, if it can."""
    try:
        back = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        sleep()
    while True:
        os.write(1, b"x")
        with contextlib.suppress(BlockingIOError):
            os.read(back, 1)


def dribble():
    for _ in range(600):
        sys.stdout.write(" ")
        sys.stdout.flush()
        time.sleep(0.05)


def grow():
    KEPT.append(kept(5, TRICK.startswith("shares")))
    time.sleep(0.01)


BEFORE_A_SHOT = {
    "floods_one_line": flood,
    "dribbles": dribble,
    "takes_back": take_back,
    "stops_itself": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "crashes": lambda: sys.exit("I have no idea"),
    "is_killed": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "thinks": lambda: time.sleep(float(sys.argv[2])),
    "grows_slowly": grow,
    "shares_slowly": grow,
    "floods_stderr": lambda: complain("x" * 2**20),
}


def shoots(number):
    """Take the shot of this number, from 0."""
    shot = SHOTS[number]
    BEFORE_A_SHOT.get(TRICK, lambda: None)()
    if TRICK.endswith("_slowly") and number < MANY:
        shot = "2 2"
    if TRICK == "ends_without_newline" and number == 1:
        sys.stdout.write(shot)
        sys.exit()
    say(shot)
    if number == 1:
        if TRICK == "dies_after_winning":
            sys.exit(3)
        if TRICK == "kills_itself_after_winning":
            os.kill(os.getpid(), signal.SIGKILL)


KEPT = []


def main():
    at_start()
    shots = 0
    for line in sys.stdin:
        word = line.split()[0]
        if TRICK.startswith("answers_ahead"):
            continue
        if word == "place":
            if TRICK == "closes_stdin":
                os.close(0)  # before it answers, so that the next question meets it closed
            say("0 0 h")
            after_placing()
        elif word == "shoot":
            shoots(shots)
            shots += 1
        elif word == "over" and TRICK == "writes_after_the_end":
            for _ in range(1000):
                say("x" * 1000)
                complain("y" * 1000)
    if TRICK == "keeps_something_at_the_end":
        time.sleep(0.3)
        with open(sys.argv[2], "w") as file:
            file.write("kept")


main()
