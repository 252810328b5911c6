#!/usr/bin/env bash
# Runs the published load test against Duet: view, then table, on SQLite, then on PostgreSQL.
# Needs k6 on the path (or K6=/path/to/k6), and the release build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
k6=${K6:-k6}
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
"$root/target/dist/duet" serve "$database" --app car-racing --listen 127.0.0.1:0 --ready-file "$folder/ready.json" > /dev/null &
server=$!
until [ -s "$folder/ready.json" ]; do kill -0 "$server"; sleep 0.02; done
read -r DUET_URL DUET_MOUNT DUET_CLIENT DUET_SECRET < <(python3 - "$folder/ready.json" <<'PY'
import json, sys
ready = json.load(open(sys.argv[1]))
print(ready["urls"][0], next(iter(ready["mounts"].values())), ready["client_id"], ready["client_secret"])
PY
)
export DUET_URL DUET_MOUNT DUET_CLIENT DUET_SECRET
for resource in team_dv team; do
  echo "== $store, $resource"
  DUET_RESOURCE=$resource "$k6" run --quiet "$here/team.js"
done
if [ "$store" = SQLite ]; then
  "$root/target/dist/throwaway-postgres" --fsync -- "$here/run.sh" inside
fi
