#!/usr/bin/env bash
# Instructions for each kind of request, counted; see instructions.py --help.
exec python3 "$(dirname "$0")/instructions.py" "$@"
