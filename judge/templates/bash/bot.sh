# A Battleships bot that places its ships at random and shoots beside its hits.
#
# The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
# and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.

request=$1 # JSON without any spaces: patterns are enough to read it
declare -A hit missed

# read_cells KEY: fills the set of that name with the cells that the request lists under that key.
read_cells() {
    local -n set=$1
    local list=${request#*\"$1\":\[} cell
    list=${list%%]*}
    for cell in ${list//[\",]/ }; do set[$((10#$cell))]=1; done
}

# place: prints a fleet. Each ship is drawn by itself, and all again if two overlap.
place() {
    local fleet taken size along across start step orientation i
    while true; do
        fleet=""
        local -A taken=()
        for size in 2 3 4 5; do
            along=$((RANDOM % (9 - size))) across=$((RANDOM % 8))
            if ((RANDOM % 2)); then
                start=$along$across step=10 orientation=horizontal
            else
                start=$across$along step=1 orientation=vertical
            fi
            for ((i = 0; i < size; i++)); do taken[$((10#$start + i * step))]=1; done
            fleet+="\"$size\":{\"point\":\"$start\",\"orientation\":\"$orientation\"},"
        done
        ((${#taken[@]} == 2 + 3 + 4 + 5)) && break
    done
    echo "{${fleet%,}}"
}

# shoot: prints a fresh cell beside a hit, or else any fresh one.
shoot() {
    local fresh=() beside=() column row cell step
    for column in {0..7}; do
        for row in {0..7}; do
            cell=$((10 * column + row))
            [[ ${hit[$cell]}${missed[$cell]} ]] && continue
            fresh+=("$column$row")
            for step in -10 -1 1 10; do
                [[ ${hit[$((cell + step))]} ]] && beside+=("$column$row")
            done
        done
    done
    ((${#beside[@]})) && fresh=("${beside[@]}")
    echo "{\"move\":\"${fresh[RANDOM % ${#fresh[@]}]}\"}"
}

answer=place
if [[ $request != *'"cmd":"init"'* ]]; then
    read_cells hit
    read_cells missed
    answer=shoot
fi
# All luck comes from BOT_SEED and the turn, so that a game can be played again.
[[ $BOT_SEED ]] && RANDOM=$(((BOT_SEED + 7919 * (1 + ${#hit[@]} + ${#missed[@]})) % 2147483647))
$answer
