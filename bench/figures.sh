#!/usr/bin/env bash
# The figures of docs/performance.md; see figures.py --help.
exec python3 "$(dirname "$0")/figures.py" "$@"
