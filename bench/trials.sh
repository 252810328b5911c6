#!/usr/bin/env bash
# Faults injected from outside, and what unrelated requests notice of them; see trials.py --help.
exec python3 "$(dirname "$0")/trials.py" "$@"
