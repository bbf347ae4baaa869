#!/bin/sh
# Prints 1 GB without a single newline.
exec head -c 1000000000 /dev/zero
