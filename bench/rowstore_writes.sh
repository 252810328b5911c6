#!/usr/bin/env bash
# A document that changes 100 times a second while it is read from memory; see rowstore_writes.py --help.
exec python3 "$(dirname "$0")/rowstore_writes.py" "$@"
