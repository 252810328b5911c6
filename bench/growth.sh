#!/usr/bin/env bash
# What costs grow with, counted; see growth.py --help.
exec python3 "$(dirname "$0")/growth.py" "$@"
