#!/usr/bin/env bash
# Rows acknowledged from a journal beside \copy, commit classes, and what the class async loses; see ingest.py --help.
exec python3 "$(dirname "$0")/ingest.py" "$@"
