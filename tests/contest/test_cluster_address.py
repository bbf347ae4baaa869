"""The addresses that `--cluster` takes."""

from __future__ import annotations

import pytest

from judge.contest.cluster.address import cluster, is_host


@pytest.mark.parametrize(
    "text",
    [
        "tls://host:8786",
        "tcp://192.168.1.7:1",
        "tcp://[fe80::1%eth0]:65535",
        "tls://a-b_c.example:08786",
        "local:1",
        "local:999",
        " local:4 ",
    ],
)
def test_a_scheduler_or_a_number_of_workers_is_a_cluster(text: str) -> None:
    """White space around it does not count."""
    assert cluster(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "host:8786",
        "http://host:8786",
        "tls:host:8786",
        "tls://host",
        "tls://:8786",
        "tls://host:0",
        "tls://host:65536",
        "tls://host:+8786",
        "tls://host:000008786",
        "tls://ho st:8786",
        "tls://user@host:8786",
        "tls://host/path:8786",
        "local",
        "local:",
        "local:0",
        "local:1000",
        "local:-1",
        "local:٤",
        "dask:4",
    ],
)
def test_another_text_is_no_cluster(text: str) -> None:
    """The sentence quotes it and shows both forms."""
    with pytest.raises(ValueError, match=r"is not a cluster, such as tls://host:8786, .* local:4"):
        cluster(text)


def test_a_host_has_at_most_253_characters() -> None:
    """As many as a name in the DNS."""
    assert [is_host("h" * length) for length in (0, 1, 253, 254)] == [False, True, True, False]
