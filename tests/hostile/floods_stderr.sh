#!/bin/sh
# Complains at great length, and then plays: noise alone never costs a game.
yes 'oh no' | head -c 3000000 >&2
exec ./plays.sh "$1"
