#!/bin/sh
# Never answers, and would survive anything but SIGKILL.
trap '' TERM INT HUP QUIT
while :; do sleep 1000; done
