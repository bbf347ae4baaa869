#!/bin/sh
# Runs what `make` has built. Where it has not, compiles for this one move, in the scratch folder.
# (In the copy that the judge makes for a game all files are of one time.)
[ -x bot ] && ! [ bot.c -nt bot ] && exec ./bot "$1"

program=${TMPDIR:-/tmp}/heatmap-$$
trap 'rm -f "$program"' EXIT
cc -O1 -o "$program" bot.c && "$program" "$1"
