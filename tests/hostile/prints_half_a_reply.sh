#!/bin/sh
# Dies in the middle of a word.
printf '{"2":{"point":"00","orient'
