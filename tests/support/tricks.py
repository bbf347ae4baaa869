"""The hostile bots of tests/hostile: one a trick, and what it must get at each level."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from changes import replace
from judge.documents.game import Termination

HERE = Path(__file__).parents[1] / "hostile"
NO_TRICKS = {"attack.py", "plays.sh"}

BAD_OUTPUT = Termination.BAD_OUTPUT
CRASH = Termination.CRASH
TIMEOUT = Termination.TIMEOUT

PLAYS = "plays"  # it may, for nothing came of its trick, or nothing was wrong with it
THROUGH = "gets through"  # its trick works, and it says so by its exit status

# Why a trick is not run where nothing would hold it; it counts as one that gets through.
WRECKS = "not run here, because it would hurt this machine"
STAYS = "not run here, because what it leaves would stay"
DEPENDS = "not run here, because it depends on the machine, or on whether the judge is root"
NOT_RUN = (WRECKS, STAYS, DEPENDS)

# The rows of the table in the guide on isolation.
PROTOCOL = "floods, sleeps, spins, ignores signals, replies and stays, lies about its exit"
MEMORY = "takes more memory in one process than it may"
MUCH_MEMORY = "takes it in many processes, or in files that are only in memory"
PROCESSES = "starts processes without end"
STAYING = "leaves processes behind"
OTHERS = "reads, signals, traces or limits other processes"
READING = "reads your files, the ledger, its opponent"
WRITING = "changes files, its own included; fills the disk"
RIGHTS = "gains privileges or changes the machine's settings"
NETWORK = "reaches the network, or a socket of this machine"
REMEMBERING = "keeps something from move to move"


@dataclass(frozen=True)
class Trick:
    """A bot, its kind, what it gets under `limits` (without limits too, but for memory) and under
    `bwrap`, and what its author is told. ``wants`` is the means without which bwrap does not
    hold it.
    """

    bot: str
    kind: str
    limits: str
    bwrap: str
    told: str = ""
    told_bwrap: str | None = None
    patient: bool = True
    wants: str = ""

    def gets(self, level: str) -> str:
        if level in ("bwrap", "fork"):  # the second: under bwrap too
            return self.bwrap
        if level == "none" and self.kind == MEMORY:
            return PLAYS
        if level == "none" and self.kind == MUCH_MEMORY:
            return THROUGH
        return self.limits

    def is_stopped(self, level: str) -> bool:
        """Whether nothing comes of it at that level."""
        if level == "none" and self.kind == MEMORY:
            return False
        return self.gets(level) not in (THROUGH, *NOT_RUN)


def ends(bot: str, gets: str, told: str = "", told_bwrap: str | None = None) -> Trick:
    """One that is dealt with in the same way at every level."""
    return Trick(bot, PROTOCOL, gets, gets, told, told_bwrap)


def attack(bot: str, kind: str, limits: str = THROUGH) -> Trick:
    """One that bwrap alone holds."""
    return Trick(f"{bot}.py", kind, limits, PLAYS)


def hurried(trick: Trick) -> Trick:
    return replace(trick, patient=False)


_MORE = "used more memory than the 256 MiB that are allowed"

TRICKS = [
    ends("plays.sh", PLAYS),
    hurried(ends("sleeps_for_ever.sh", TIMEOUT, "no reply within 0.4 s")),
    hurried(ends("spins.sh", TIMEOUT, "no reply within 0.4 s")),
    hurried(ends("ignores_sigterm.sh", TIMEOUT, "no reply within 0.4 s")),
    hurried(ends("closes_stdout_and_stays.sh", TIMEOUT, "it replied, but did not exit, within")),
    ends("floods_stdout.sh", BAD_OUTPUT, "printed more than 65536 bytes"),
    ends("prints_without_newline.sh", BAD_OUTPUT, "printed more than 65536 bytes"),
    ends("floods_stderr.sh", PLAYS),
    ends("answers_and_exits_1.sh", CRASH, "exited with status 1"),
    ends("lies_about_its_end.py", CRASH, "exited with status 1"),
    ends("answers_and_is_killed.sh", CRASH, "was ended by SIGSEGV"),
    ends("prints_two_documents.sh", BAD_OUTPUT, "after the JSON value comes"),
    ends("prints_nothing.sh", BAD_OUTPUT, "printed nothing"),
    ends("prints_half_a_reply.sh", BAD_OUTPUT, "which is not JSON"),
    ends("not_utf8.sh", BAD_OUTPUT, "byte 0xe9 at offset 9"),
    ends("never_reads.sh", PLAYS),
    Trick("grandchild_holds_the_pipe.sh", STAYING, PLAYS, PLAYS),
    Trick("daemon_holds_the_pipe.sh", STAYING, THROUGH, PLAYS),
    Trick("daemon_goes_on_printing.sh", STAYING, THROUGH, PLAYS),
    Trick("outlives_its_move.py", STAYING, THROUGH, PLAYS),
    Trick("takes_400_mb.py", MEMORY, CRASH, CRASH, "memory.* 256 MiB .*allowed"),
    Trick("shares_400_mb.py", MEMORY, CRASH, CRASH, "MiB of memory, where 256 MiB", "memory"),
    Trick("takes_memory_with_many.py", MUCH_MEMORY, CRASH, CRASH, "memory.* 256 MiB .*allowed"),
    Trick(
        "takes_memory_in_a_file.py", MUCH_MEMORY, THROUGH, CRASH, told_bwrap=_MORE, wants="memory"
    ),
    Trick("bombs.py", PROCESSES, WRECKS, PLAYS, wants="processes"),
    attack("reads_anothers_environment", OTHERS),
    attack("reads_anothers_memory", OTHERS),
    attack("traces_another", OTHERS),
    attack("signals_another", OTHERS),
    attack("limits_another", OTHERS),
    attack("sees_the_judge", OTHERS),
    attack("kills_everything", OTHERS, WRECKS),
    attack("wakes_its_first_process", OTHERS, WRECKS),
    attack("reads_the_ledger", READING),
    attack("reads_the_opponent", READING),
    attack("reads_the_judge", READING),
    attack("reads_the_users", READING),
    attack("reads_its_history", READING),
    attack("lists_its_neighbours", READING),
    attack("writes_beside_itself", WRITING),
    attack("writes_to_the_ledger", WRITING),
    attack("changes_itself", WRITING),
    attack("replaces_itself", WRITING),
    attack("fills_the_disk", WRITING, WRECKS),
    attack("leases_files", OTHERS, DEPENDS),
    attack("takes_a_stock_of_the_machines", OTHERS, DEPENDS),
    attack("watches_files", OTHERS, DEPENDS),
    attack("stops_itself_in_the_kernel", OTHERS, DEPENDS),
    attack("ranks_above_others", OTHERS, DEPENDS),
    attack("opens_the_kernels_settings", RIGHTS, DEPENDS),
    attack("keeps_what_crashes", RIGHTS, DEPENDS),
    attack("gains_rights_by_a_program", RIGHTS, DEPENDS),
    attack("raises_its_group", RIGHTS, DEPENDS),
    attack("makes_a_device", RIGHTS, DEPENDS),
    attack("changes_a_device", RIGHTS, DEPENDS),
    attack("makes_a_namespace", RIGHTS, DEPENDS),
    attack("changes_the_hostname", RIGHTS, WRECKS),
    attack("has_privileges", RIGHTS, DEPENDS),
    attack("raises_its_limits", RIGHTS, DEPENDS),
    attack("types_into_the_terminal", RIGHTS, DEPENDS),
    attack("connects_to_a_port", NETWORK),
    attack("connects_to_a_socket", NETWORK),
    attack("connects_to_a_hidden_socket", NETWORK),
    attack("opens_a_line_to_the_host", NETWORK, DEPENDS),
    Trick("leaves_files_behind.sh", REMEMBERING, PLAYS, PLAYS),
    attack("remembers_in_its_scratch", REMEMBERING, PLAYS),
    attack("remembers_in_tmp", REMEMBERING),
    attack("remembers_in_posix_memory", REMEMBERING),
    attack("remembers_in_its_folder", REMEMBERING),
    attack("remembers_in_shared_memory", REMEMBERING, STAYS),
    attack("remembers_in_a_queue", REMEMBERING, STAYS),
    attack("remembers_in_semaphores", REMEMBERING, STAYS),
    attack("remembers_in_lost_sockets", REMEMBERING, STAYS),
    attack("remembers_in_a_keyring", REMEMBERING, STAYS),
    attack("remembers_in_a_device", REMEMBERING, DEPENDS),
    attack("remembers_in_counters", REMEMBERING, STAYS),
    attack("remembers_in_a_daemon", REMEMBERING),
    attack("remembers_in_a_hint", REMEMBERING, STAYS),
    attack("remembers_in_its_files", REMEMBERING),
    attack("remembers_in_a_file_without_name", REMEMBERING, STAYS),
    attack("asks_what_is_in_memory", REMEMBERING),
    attack("asks_for_a_cookie", REMEMBERING),
    attack("reads_the_kernels_counters", REMEMBERING),
    attack("holds_locks", REMEMBERING),
]
