#!/bin/sh
# Fills its scratch folder with things that are hard to remove; plays only if it began empty.
[ -z "$(ls -A "$TMPDIR")" ] || exit 9
mkdir -p "$TMPDIR/a/b" && echo x > "$TMPDIR/a/b/c" && ln -s / "$TMPDIR/root"
chmod 000 "$TMPDIR/a/b" "$TMPDIR/a"
exec ./plays.sh "$1"
