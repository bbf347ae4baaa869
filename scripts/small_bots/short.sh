#!/bin/sh
# Plays the games of scripts/soak.py, which end in a few moves.
case $1 in
*init*) echo '{"2":{"point":"00","orientation":"vertical"}}' ;;
*'"hit":["00"]'*) echo '{"move":"01"}' ;;
*) echo '{"move":"00"}' ;;
esac
