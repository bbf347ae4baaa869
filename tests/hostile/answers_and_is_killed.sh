#!/bin/sh
# A valid reply, and then death by a signal.
./plays.sh "$1"
kill -SEGV $$
