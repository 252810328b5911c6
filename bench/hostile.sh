#!/usr/bin/env bash
# 32 hostile clients on one processor, and what a health check on the other notices; see hostile.py --help.
exec python3 "$(dirname "$0")/hostile.py" "$@"
