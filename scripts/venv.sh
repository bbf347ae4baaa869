# Sourced by the scripts beside it, which have set $root: makes .venv ready for them.
#
# A file .venv/ready-KIND stands there only when a set-up was finished. It holds the checkout's
# path, the $PYTHON that was asked for (or an empty line) and pyproject.toml as it was; where it
# still fits, nothing is done, and that costs a few milliseconds.

# need KIND: a .venv with what running the judge needs ("judge"), or all the rest too ("dev").
need() {
    if ready "$1"; then return; fi
    interpreter=$(find_python) || exit 1
    "$interpreter" "$root/scripts/setup_venv.py" "$root" "$1" "${0##*/}" >&2 || exit
}

ready() {
    file=$root/.venv/ready-$1
    [ -x "$root/.venv/bin/python" ] && [ -r "$file" ] || return
    { IFS= read -r place && IFS= read -r python && project=$(cat); } <"$file" || return
    [ "$place" = "$root" ] && [ "${PYTHON:-$python}" = "$python" ] &&
        [ "$project" = "$(cat "$root/pyproject.toml")" ]
}

# The first interpreter that is there, new enough and able to make a virtual environment.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11
    fi
    old='' bare=''
    for candidate in "$@"; do
        status=0
        version=$("$candidate" -c '
import sys
print("%d.%d" % sys.version_info[:2])
if sys.version_info < (3, 11):
    sys.exit(3)
try:
    import ensurepip, venv
except ImportError:
    sys.exit(4)
' 2>/dev/null) || status=$?
        case $status in
            0) printf '%s\n' "$candidate" && return ;;
            3) old="${old:-$candidate is Python $version.}" ;;
            4) bare="${bare:-$candidate has no venv module (Debian, Ubuntu: apt install python$version-venv).}" ;;
            *) [ -z "${PYTHON:-}" ] || old="PYTHON=$PYTHON does not run." ;;
        esac
    done
    why=${bare:-${old:-There is no python3.}}
    printf '%s: this needs Python 3.11 or newer with its venv module. %s Install one, or name it: %s\n' \
        "${0##*/}" "$why" "PYTHON=/path/to/python3 $0" >&2
    return 1
}
