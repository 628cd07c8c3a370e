#!/bin/sh
# must_report.sh PATTERN COMMAND...: succeeds if the command fails and says PATTERN. So a canary passes only when the
# sanitizer sees its fault, and makes the process fail by it.
pattern=$1
shift
output=$("$@" 2>&1)
status=$?
printf '%s\nexit status %d\n' "$output" "$status"
[ "$status" -ne 0 ] && printf '%s\n' "$output" | grep -q -e "$pattern"
