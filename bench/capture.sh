#!/usr/bin/env bash
# Changes by other programs: how soon they are seen, and what capturing them costs; see capture.py --help.
exec python3 "$(dirname "$0")/capture.py" "$@"
