#!/bin/sh
# Latin-1, of all things.
printf '{"move":"\351"}'
