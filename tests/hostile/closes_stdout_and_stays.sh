#!/bin/sh
# Answers, hangs up, and does not leave.
./plays.sh "$1"
exec >&- 2>&-
exec sleep 1000
