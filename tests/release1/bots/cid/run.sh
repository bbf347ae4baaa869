#!/bin/sh
# Forgets the protocol at its sixth shot.
case "$1" in
*init*) echo '{"2":{"point":"20","orientation":"horizontal"},"3":{"point":"03","orientation":"horizontal"},"4":{"point":"70","orientation":"vertical"},"5":{"point":"15","orientation":"horizontal"}}'; exit ;;
esac
columns=$(printf %s "$BOT_RULES" | sed 's/.*"columns":\([0-9]*\).*/\1/')
rows=$(printf %s "$BOT_RULES" | sed 's/.*"rows":\([0-9]*\).*/\1/')
you=$(printf %s "$1" | sed 's/.*"you":\([01]\).*/\1/')
n=$(printf %s "$1" | grep -o "\"$you[0-9][0-9][13]\"" | wc -l)
[ $n -lt 5 ] || { echo "what now?" >&2; echo "{\"mov\":\"00\"}"; exit; }
echo "{\"move\":\"$((n % columns))$((n / columns))\"}"
