#!/usr/bin/env bash
# Two builds of Duet, interleaved, for each figure of bench/log/; see pairs.py --help.
exec python3 "$(dirname "$0")/pairs.py" "$@"
