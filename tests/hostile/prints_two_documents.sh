#!/bin/sh
# Two valid replies for the price of one.
./plays.sh "$1"
./plays.sh "$1"
