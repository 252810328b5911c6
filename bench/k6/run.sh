#!/usr/bin/env bash
# Runs the published load test against Duet, with k6 itself: team_dv.js, then team.js, on SQLite, then on PostgreSQL.
# The server answers as ORDS (`--compat ords`), for a client with an id and a secret that are made for the run.
# Needs k6 on the path (or K6=/path/to/k6), and the release build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
k6=${K6:-k6}
command -v "$k6" > /dev/null || { echo "skipped: k6 is not installed (or name it by K6=)"; exit 0; }
if [ "${1:-}" = inside ]; then
  "$root/target/dist/duet" load car-racing --database "$DATABASE_URL" > /dev/null
  store=PostgreSQL database=$DATABASE_URL
else
  [ -n "${DUET_BUILT:-}" ] || cargo build --profile dist -q --manifest-path "$root/Cargo.toml" -p duet -p duet-testkit
  store=SQLite database=
fi
folder=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$folder"' EXIT
if [ -z "$database" ]; then
  database=$folder/car-racing.sqlite
  "$root/target/dist/duet" load car-racing --database "sqlite:$database" > /dev/null
fi
ORDS_CLIENT_ID=$(head -c 16 /dev/urandom | base64 | tr '+/' 'ab' | tr -d '=')..
ORDS_CLIENT_SECRET=$(head -c 16 /dev/urandom | base64 | tr '+/' 'ab' | tr -d '=')..
(umask 077 && printf '%s' "$ORDS_CLIENT_SECRET" > "$folder/secret")
"$root/target/dist/duet" serve "$database" --app car-racing --compat ords --listen 127.0.0.1:0 --ready-file "$folder/ready.json" \
  --run-client-id "$ORDS_CLIENT_ID" --run-client-secret-file "$folder/secret" > /dev/null &
server=$!
until [ -s "$folder/ready.json" ]; do kill -0 "$server"; sleep 0.02; done
ORDS_SERVER=$(sed -n 's|.*"http://\([^"/]*\).*|\1|p' "$folder/ready.json" | head -1)
export ORDS_CLIENT_ID ORDS_CLIENT_SECRET ORDS_SERVER
for script in team_dv team; do
  echo "== $store, $script.js"
  "$k6" run --quiet --summary-trend-stats avg,min,med,max,p\(90\),p\(95\) "$here/$script.js"
done
if [ "$store" = SQLite ]; then
  "$root/target/dist/throwaway-postgres" --fsync -- "$here/run.sh" inside
fi
