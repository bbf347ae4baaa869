#!/bin/sh
# Places its ship, and goes through the cells of a board of 4 by 8, as its seed has it.
case $1 in
*init*)
	echo "{\"2\":{\"point\":\"$((BOT_SEED % 4))$((BOT_SEED / 4 % 7))\",\"orientation\":\"vertical\"}}"
	exit ;;
esac
hit=${1#*\"hit\":[} hit=${hit%%]*}
missed=${1#*\"missed\":[} missed=${missed%%]*}
IFS=,
set -- $hit $missed
cell=$(((BOT_SEED + $# * (BOT_SEED / 32 * 2 + 1)) % 32))
echo "{\"move\":\"$((cell % 4))$((cell / 4))\"}"
