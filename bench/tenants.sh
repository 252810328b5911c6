#!/usr/bin/env bash
# Throughput with many tenants beside throughput with one, on both stores; see tenants.py --help.
exec python3 "$(dirname "$0")/tenants.py" "$@"
