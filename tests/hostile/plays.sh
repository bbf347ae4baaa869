#!/bin/sh
# A quick, honest and not very clever player: shoots the cells in order, first to last. Its fleet lies
# where such shots find it soon, so that a game of two of them takes 31 starts.
case $1 in
*init*)
	echo '{"2":{"point":"06","orientation":"vertical"},"3":{"point":"15","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
	exit ;;
esac
hit=${1#*\"hit\":[} hit=${hit%%]*}
missed=${1#*\"missed\":[} missed=${missed%%]*}
for column in 0 1 2 3 4 5 6 7; do
	for row in 0 1 2 3 4 5 6 7; do
		case ,$hit,$missed, in
		*"\"$column$row\""*) ;;
		*) echo "{\"move\":\"$column$row\"}" && exit ;;
		esac
	done
done
