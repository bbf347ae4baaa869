#!/bin/sh
# A valid reply, and then a failure.
./plays.sh "$1"
exit 1
