#!/usr/bin/env bash
# `duet bench` beside wrk against servers with faults; see client.py --help.
exec python3 "$(dirname "$0")/client.py" "$@"
