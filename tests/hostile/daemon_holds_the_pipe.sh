#!/bin/sh
# Answers and exits, while a daemon in a session of its own keeps both pipes open for a while.
setsid sh -c 'sleep 3 & exit 0'
./plays.sh "$1"
