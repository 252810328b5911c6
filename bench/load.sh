#!/usr/bin/env bash
# Bulk loads beside psql \copy and sqlite3 .import; see load.py --help.
exec python3 "$(dirname "$0")/load.py" "$@"
