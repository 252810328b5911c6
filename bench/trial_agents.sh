#!/usr/bin/env bash
# An agent that is not ours, the protocol's own Python package, with Duet on 49 tables and on 2,000, by standard input and
# output and over HTTP, in the newest version and in that of before: it lists, describes, reads, tries a change and commits
# it. The list of tools must stay under 3,000 tokens of four bytes, and each answer under 8,000.
#
#   bench/trial_agents.sh [DUET]
#
# The package comes from its registry, into a throwaway folder. Needs python3.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
duet=$(realpath "${1:-$here/../target/release/duet}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'mcp==2.3.0'
venv/bin/python "$here/trial_agents.py" "$duet"
