#!/usr/bin/env bash
# Items from memory beside a constant answer and beside the store; see rowstore.py --help.
exec python3 "$(dirname "$0")/rowstore.py" "$@"
