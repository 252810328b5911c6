#!/usr/bin/env bash
# Items from memory beside Redis; see rowstore_redis.py --help.
exec python3 "$(dirname "$0")/rowstore_redis.py" "$@"
