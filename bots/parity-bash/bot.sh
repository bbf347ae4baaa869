#!/usr/bin/env bash
# parity in bash: shoots beside its hits, and searches one colour of the chessboard only, as no ship
# is so short that it has no cell of that colour. Bash itself is all that it runs.
#
# A cell, "42" for column 4 and row 2, is kept as the number 42: one down is + 1, one to the right
# is + 10, and as no digit is 8 or 9 a step off the grid never lands on it again.

request=$1 # compact JSON: patterns are enough to read it
declare -A hit missed

# mark KEY: fills the set of that name with the cells that the request lists under that key.
mark() {
    local -n marked=$1
    local cells=${request#*\"$1\":\[}
    cells=${cells%%]*}
    for cell in ${cells//[\",]/ }; do marked[$((10#$cell))]=1; done
}

# place: prints a fleet, each legal one as likely: every ship by itself, and all anew on an overlap.
place() {
    local fleet size along across step start orientation cell i
    local -A taken
    while true; do
        fleet="" taken=()
        for size in 2 3 4 5; do
            along=$((RANDOM % (9 - size))) across=$((RANDOM % 8))
            if ((RANDOM % 2)); then
                start=$along$across step=10 orientation=horizontal
            else
                start=$across$along step=1 orientation=vertical
            fi
            for ((i = 0; i < size; i++)); do
                cell=$((10#$start + i * step))
                [[ -z ${taken[$cell]} ]] || continue 3
                taken[$cell]=1
            done
            fleet+="\"$size\":{\"point\":\"$start\",\"orientation\":\"$orientation\"},"
        done
        echo "{${fleet%,}}"
        return
    done
}

# is_fresh CELL: whether it is on the grid and has not been shot at.
is_fresh() {
    (($1 >= 0 && $1 < 80 && $1 % 10 < 8)) && [[ -z ${hit[$1]}${missed[$1]} ]]
}

# shoot: prints a fresh cell beside a hit, or else one of the colour with the most fresh ones beside
# it.
shoot() {
    local around=() roomiest=() most=0 room column row cell step
    for column in {0..7}; do
        for row in {0..7}; do
            cell=$((10 * column + row)) room=0
            is_fresh "$cell" || continue
            for step in -10 -1 1 10; do
                [[ -z ${hit[$((cell + step))]} ]] || around+=("$column$row")
                ! is_fresh $((cell + step)) || ((++room))
            done
            ((((column + row) % 2) == 0 && room >= most)) || continue
            ((room == most)) || most=$room roomiest=()
            roomiest+=("$column$row")
        done
    done
    if ((${#around[@]})); then roomiest=("${around[@]}"); fi
    echo "{\"move\":\"${roomiest[RANDOM % ${#roomiest[@]}]}\"}"
}

# seed TURN: with a seed all luck comes from it and from how far the game is, so that it can be
# repeated. Digit by digit, as it may be too long for bash's numbers.
seed() {
    local text=$BOT_SEED$1 mixed=0 i
    [[ -n $BOT_SEED ]] || return 0
    for ((i = 0; i < ${#text}; i++)); do mixed=$(((31 * mixed + 1${text:i:1}) % 2147483647)); done
    RANDOM=$mixed
}

case $request in
    *'"cmd":"init"'*)
        seed 99
        place
        ;;
    *)
        mark hit
        mark missed
        seed $((100 + ${#hit[@]} + ${#missed[@]}))
        shoot
        ;;
esac
