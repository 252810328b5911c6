#!/usr/bin/env bash
# The figures of bench/log/; see figures.py --help.
exec python3 "$(dirname "$0")/figures.py" "$@"
