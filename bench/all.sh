#!/usr/bin/env bash
# Runs every script of figures and trials once, in its shortest form: it shows that they still run, and their figures mean
# nothing. A script whose tools are missing is named and left out.
#
#   bench/all.sh [NAME…]
#
# It builds the package's profile first. Without names, all are run; rivals.sh, jmeter.sh and pairs.sh need other programs than
# tools, and are run by hand.
set -uo pipefail
cd "$(dirname "$0")/.."

# name | tools that it needs | arguments of the shortest form
scripts='
batch | psql sqlite3 | --built --rounds 1 --seconds 1 --rows 2000
capture | pgbench | --built --changes 50 --seconds 2 --rate 500
client | wrk | --built --rounds 1 --seconds 1
create | pgbench wrk | --built --rounds 1 --seconds 1
figures | wrk | --built --rounds 1 --seconds 1 --short 1 --quick
growth | valgrind | --scale 0.1 --doublings 1 --most 1000
hostile | | --seconds 5
index_kinds | | --built --documents 3000 --requests 5
ingest | psql | --built --rounds 1 --seconds 1 --rows 4000 --kills 2
instructions | valgrind | --requests 20 --rounds 1 --most 100000
live | | --subscribers 200 --rate 100 --seconds 3 --kills 1
load | psql sqlite3 | --built --rounds 1 --rows 20000
orders | wrk pgbench | --built --rounds 1 --seconds 1 --large 4 --middle 2
rowstore | wrk | --rounds 1 --seconds 1
rowstore_cost | chrt | --rounds 1 --lookups 2000
rowstore_redis | wrk redis-server redis-benchmark | --rounds 1 --seconds 1
rowstore_writes | wrk | --rounds 1 --seconds 2
stream | psql pg_config | 20000
tenants | wrk | --built --tenants 4 --documents 50 --rounds 1 --seconds 1
trials | psql sqlite3 | --quick
'

missing_of() {
  local tool
  for tool in $1; do
    command -v "$tool" >/dev/null || [[ -n $(compgen -G "/usr/lib/postgresql/*/bin/$tool") ]] || printf '%s ' "$tool"
  done
}

cargo build --quiet --profile dist -p duet -p duet-testkit || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()
while IFS='|' read -r name tools arguments; do
  name=${name// /}
  [[ -n $name ]] || continue
  [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
  missing=$(missing_of "$tools")
  if [[ -n $missing ]]; then
    printf 'left out: %s needs %s\n' "$name" "$missing"
    continue
  fi
  began=$SECONDS
  # The words of the arguments are apart.
  # shellcheck disable=SC2086
  if "bench/$name.sh" $arguments >"$log" 2>&1 </dev/null; then
    printf '%4d s  %s\n' $((SECONDS - began)) "$name"
  else
    printf '%4d s  %s FAILED\n' $((SECONDS - began)) "$name"
    tail -n 20 "$log"
    failed+=("$name")
  fi
done <<<"$scripts"
[[ ${#failed[@]} -eq 0 ]] || { printf 'these scripts no longer run: %s\n' "${failed[*]}"; exit 1; }
