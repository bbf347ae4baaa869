#!/bin/sh
# From the first cell to the last.
case "$1" in
*init*) echo '{"2":{"point":"00","orientation":"vertical"},"3":{"point":"11","orientation":"vertical"},"4":{"point":"42","orientation":"vertical"},"5":{"point":"37","orientation":"horizontal"}}'; exit ;;
esac
columns=$(printf %s "$BOT_RULES" | sed 's/.*"columns":\([0-9]*\).*/\1/')
rows=$(printf %s "$BOT_RULES" | sed 's/.*"rows":\([0-9]*\).*/\1/')
you=$(printf %s "$1" | sed 's/.*"you":\([01]\).*/\1/')
n=$(printf %s "$1" | grep -o "\"$you[0-9][0-9][13]\"" | wc -l)
:
echo "{\"move\":\"$((n % columns))$((n / columns))\"}"
