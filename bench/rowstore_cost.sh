#!/usr/bin/env bash
# What lookups by key cost in processor time, from memory beside the heap; see rowstore_cost.py --help.
exec python3 "$(dirname "$0")/rowstore_cost.py" "$@"
