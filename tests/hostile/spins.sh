#!/bin/sh
# Never answers, and keeps a core busy.
while :; do :; done
