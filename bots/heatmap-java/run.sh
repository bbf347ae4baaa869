#!/bin/sh
# Runs what `make` has built: to compile in the move itself would take most of its two seconds.
if ! [ Bot.class -nt Bot.java ]; then
    echo "not built: run 'make -C bots', which needs javac" >&2
    exit 1
fi
# A small heap, one collector thread and the quick compiler only: it starts in 256 MiB, and sooner.
exec java -Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . Bot "$1"
