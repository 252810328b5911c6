#!/usr/bin/env bash
# Live changes: many subscribers, many changes, and a killed server; see live.py --help.
exec python3 "$(dirname "$0")/live.py" "$@"
