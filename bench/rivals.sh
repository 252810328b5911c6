#!/usr/bin/env bash
# Duet beside PostgREST, pREST and PocketBase on this machine; see rivals.py --help.
exec python3 "$(dirname "$0")/rivals.py" "$@"
