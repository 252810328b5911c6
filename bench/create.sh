#!/usr/bin/env bash
# CREATE of one row by POST beside pgbench's INSERT and COMMIT; see create.py --help.
exec python3 "$(dirname "$0")/create.py" "$@"
