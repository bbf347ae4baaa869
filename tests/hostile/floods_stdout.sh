#!/bin/sh
# Prints lines without end.
exec yes
