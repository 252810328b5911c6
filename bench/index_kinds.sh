#!/usr/bin/env bash
# Each kind of index of a collection beside a B-tree on the query it exists for, on PostgreSQL; see index_kinds.py --help.
exec python3 "$(dirname "$0")/index_kinds.py" "$@"
