#!/usr/bin/env bash
# Hostile clients beside a health check, and clients without a token; what the one notices and how much memory the others take: see hostile.py --help.
exec python3 "$(dirname "$0")/hostile.py" "$@"
