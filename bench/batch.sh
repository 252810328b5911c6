#!/usr/bin/env bash
# Batches of rows by _/batch beside \copy of psql and .import of sqlite3; see batch.py --help.
exec python3 "$(dirname "$0")/batch.py" "$@"
