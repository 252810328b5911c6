#!/usr/bin/env bash
# Lists and POSTs of the sample orders beside pgbench with hand-written SQL, by size and with and without indexes; see orders.py --help.
exec python3 "$(dirname "$0")/orders.py" "$@"
