#!/usr/bin/env bash
# What a release is optimized for: each kind of request and of load, for seconds. The compiler reads from
# the counts which code is run often, and makes that fast and the rest small.
#
#   deploy/train.sh DUET
#
# DUET counts what it runs (`-C profile-generate`). With DATABASE_URL the database is PostgreSQL, otherwise SQLite. Needs
# curl, openssl and python3.
set -euo pipefail

duet=$(realpath "$1")
folder=$(mktemp -d)
servers=()
stop() {
  for server in "${servers[@]}"; do
    kill "$server" 2>/dev/null || continue
    wait "$server" || true
  done
  servers=()
}
trap 'stop; rm -rf "$folder"' EXIT
cd "$folder"

# bench WORKLOAD OPTION…: a failure ends the training.
bench() {
  echo "bench run $*"
  "$duet" bench run "$@" --warmup 0s --quiet --out "results/$((++runs))" >bench.log 2>&1 || { cat bench.log; exit 1; }
}
runs=0

# serve DATABASE APP OPTION…: a server of the application, whose address is then in $at.
serve() {
  local database=$1 app=$2
  shift 2
  rm -f ready.json
  "$duet" serve "$database" --app "$app" --open all --listen 127.0.0.1:0 --ready-file ready.json "$@" >server.log 2>&1 &
  servers+=($!)
  for _ in $(seq 600); do
    [[ ! -s ready.json ]] || break
    kill -0 $! || { cat server.log; exit 1; }
    sleep 0.1
  done
  base=$(python3 -c 'import json; print(json.load(open("ready.json"))["urls"][0])')
  mount=$(python3 -c 'import json, sys; print(json.load(open("ready.json"))["mounts"][sys.argv[1]])' "$app")
  at=$base$mount
}

# Pages of every kind, for curl.
pages() {
  python3 - "$at" >pages.curl <<'PYTHON'
import json, ssl, sys, urllib.parse, urllib.request
base = sys.argv[1]
def ask(path, **parameters):
    print(f'url = "{base}{path}?{urllib.parse.urlencode(parameters)}"\noutput = /dev/null')
for number in range(200):
    points = {"points": {"$gte": number % 50}}
    ask("/driver/", limit=100, offset=number)
    ask("/driver/", limit=100, fields="name,points", count="exact")
    ask("/team_dv/", offset=number)
    ask("/driver/", q=json.dumps({**points, "name": {"$like": f"%{number}%"}, "$orderby": {"name": "ASC"}}))
    ask("/team_dv/", q=json.dumps({"driver.points": {"$gt": number}}))
    ask("/driver/", q=json.dumps({**points, "$group": {"by": ["points"], "drivers": {"$count": "*"}}}))
# By key, along the links.
href = f"{base}/team_dv/?after=&limit=5"
while href:
    print(f'url = "{href}"\noutput = /dev/null')
    with urllib.request.urlopen(href, context=ssl._create_unverified_context()) as page:
        links = json.load(page)["links"]
    href = next((link["href"] for link in links if link["rel"] == "next"), None)
PYTHON
}

# Requests that the bench does not make: streams, loads, compressed pages, groups.
others() {
  python3 - <<'PYTHON'
import json
columns = ["driver_id", "name", "points", "team_id"]
drivers = [[10**7 + number, f"Trainee {number}", number % 50, 1 + number % 900] for number in range(80_000)]
with open("drivers.csv", "w") as file:
    print(*columns, sep=",", file=file)
    for driver in drivers[::2]:
        print(*driver, sep=",", file=file)
with open("drivers.ndjson", "w") as file:
    for driver in drivers[1::2]:
        print(json.dumps(dict(zip(columns, driver))), file=file)
PYTHON
  curl -sf -X POST -H 'Content-Type: text/csv' --data-binary @drivers.csv "$at/driver/batchload" -o /dev/null
  curl -sf -X POST -H 'Content-Type: application/x-ndjson' --data-binary @drivers.ndjson "$at/driver/batchload" -o /dev/null
  curl -sf -H 'Accept: text/csv' "$at/driver/" -o /dev/null
  curl -sf -H 'Accept: application/x-ndjson' "$at/driver/" -o /dev/null "$at/team_dv/" -o /dev/null
  pages
  curl -s --fail-early -f -K pages.curl
  curl -s --fail-early -f --compressed -K pages.curl
}

# Items that are kept in memory.
from_memory() {
  local token resource
  token=$("$duet" token --from ready.json)
  for resource in team team_dv; do
    curl -sf -X POST -H "Authorization: Bearer $token" "$base/admin/rowstore?resource=$mount/$resource&bytes=8000000" -o /dev/null
    bench rest "$at/$resource" --users 16 --duration 3s
  done
}

# Items by TLS, and pages by HTTP/2, which curl takes there.
by_tls() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout key.pem -out cert.pem 2>/dev/null
  serve "$1" car-racing --tls-cert cert.pem --tls-key key.pem
  bench rest "$at/team" --insecure --users 8 --duration 2s
  pages
  curl -s --fail-early -f --insecure -H 'Accept-Encoding: zstd' -K pages.curl
  stop
}

# The loads on a store: a database for the bench's own data, one for the samples.
store() {
  local entry=$1 samples=$2 app workload users preset
  "$duet" bench load soe --database "$entry" --scale 0.002 >load.log 2>&1
  "$duet" bench load lookup --database "$entry" --scale 20000 >load.log 2>&1
  "$duet" bench load retail --database "$entry" --scale 0.01 >load.log 2>&1
  for workload in soe-client soe-server; do bench "$workload" "$entry" --users 8 --duration 3s; done
  bench retail "$entry" --users 2 --duration 3s
  bench lookup "$entry" --users 4 --duration 3s
  "$duet" load car-racing --database "$samples" --scale 1000 >load.log 2>&1
  for app in transactions orders; do "$duet" load "$app" --database "$samples" >load.log 2>&1; done
  serve "$samples" car-racing
  for users in 1 16; do
    bench rest "$at/team" --users "$users" --duration 4s --mix GET=60,PAGE=20,PUT=20
    bench rest "$at/team_dv" --users "$users" --duration 4s --mix GET=60,PAGE=20,PUT=20
    bench rest "$at/driver" --users "$users" --duration 3s --mix CYCLE=80,PUT=20
  done
  others
  from_memory
  stop
  by_tls "$samples"
  for users in 1 16; do bench txn "$samples" --users "$users" --duration 4s; done
  bench txn "$samples" --users 4 --duration 3s --preset batch
  for preset in published cycles; do bench orders "$samples" --users 8 --duration 5s --preset "$preset"; done
}

if [[ -n ${DATABASE_URL:-} ]]; then
  psql -Xq "$DATABASE_URL" -c 'CREATE DATABASE samples'
  store "$DATABASE_URL" "$(sed 's|^\(postgres://[^/]*/\)[^?]*|\1samples|' <<<"$DATABASE_URL")"
else
  store sqlite:entry.db sqlite:samples.db
  bench rest --users 8 --duration 2s
  bench ingest --users 4 --duration 3s
fi
