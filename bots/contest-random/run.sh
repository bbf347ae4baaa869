#!/bin/sh
# Runs what `make` has built. Where it has not, compiles for this one match, in the scratch folder.
[ bot -nt bot.c ] && exec ./bot "$1"

program=${TMPDIR:-/tmp}/contest-$$
cc -O1 -o "$program" bot.c && exec "$program" "$1"
