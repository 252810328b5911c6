#!/usr/bin/env bash
# Clients generated from the OpenAPI documents of the samples: openapi-typescript with openapi-fetch,
# openapi-python-client, and openapi-generator where there is Java. Each generates without a warning, compiles, and its
# calls (bench/clients) are answered as their types say. Then schemathesis sends requests made from the documents, and
# compares the answers with them.
#
#   bench/trial_clients.sh [DUET]
#
# The generators come from the package registries, into a throwaway folder. Needs node, npm and python3; Java for
# openapi-generator, which is left out without it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
duet=${1:-$here/../target/release/duet}
folder=$(mktemp -d)
server=
cleanup() {
  [[ -z $server ]] || { kill "$server"; wait "$server"; } 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

# Waits until the server with this process id is ready.
wait_for() {
  server=$1
  for _ in $(seq 600); do
    [[ -s ready.json ]] && return
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat server.log
  exit 1
}

cp -r "$here/clients/." "$folder"
cd "$folder"

"$duet" demo --open all --listen 127.0.0.1:0 --ready-file ready.json >server.log 2>&1 &
wait_for $!
base=$(python3 -c 'import json; print(json.load(open("ready.json"))["urls"][0])')

# name, mount
documents=(season /ords/hr music /ords/chinook orders /orders-storage)
for ((at = 0; at < ${#documents[@]}; at += 2)); do
  curl -sf "$base${documents[at + 1]}/open-api-catalog/" >"${documents[at]}.json"
done

printf '\n== TypeScript\n'
npm install --silent --no-audit --no-fund
for ((at = 0; at < ${#documents[@]}; at += 2)); do
  npx openapi-typescript "${documents[at]}.json" -o "${documents[at]}.ts" >generated.log 2>&1 || { cat generated.log; exit 1; }
  ! grep -i warn generated.log
done
npx tsc
node out/calls.js "$base"

printf '\n== Python\n'
python3 -m venv venv
export PATH=$PWD/venv/bin:$PATH
venv/bin/pip install --quiet --disable-pip-version-check 'openapi-python-client==0.29.1' 'mypy>=1.15,<2'
for ((at = 0; at < ${#documents[@]}; at += 2)); do
  printf 'package_name_override: %s\n' "${documents[at]}" >config.yml
  venv/bin/openapi-python-client generate --path "${documents[at]}.json" --meta none --config config.yml \
    --output-path "${documents[at]}" >generated.log 2>&1 || { cat generated.log; exit 1; }
  # Text bodies of bulk loads have no types there; everything else must.
  ! grep 'WARNING parsing' generated.log | grep -v /batchload
done
venv/bin/mypy --follow-imports=silent calls.py
venv/bin/python calls.py "$base"

if command -v java >/dev/null; then
  printf '\n== openapi-generator\n'
  venv/bin/pip install --quiet --disable-pip-version-check 'openapi-generator-cli==7.26.0' \
    'pydantic>=2,<3' 'urllib3>=2,<3' python-dateutil typing-extensions
  venv/bin/openapi-generator-cli generate -g python -i season.json -o generated >generated.log 2>&1 ||
    { cat generated.log; exit 1; }
  PYTHONPATH=generated venv/bin/python generated_calls.py "$base"
fi

printf '\n== schemathesis\n'
# In a database with the table for idempotency keys, without which requests that send one are refused.
kill "$server"; wait "$server" 2>/dev/null || true
venv/bin/pip install --quiet --disable-pip-version-check 'schemathesis==4.32.5'
# What documents promise of answers. The other checks ask for what HTTP and OpenAPI do not: that each request that fits
# the schemas succeeds (positive_data_acceptance) depends on rows, and on parameters that exclude each other (`q` and
# `query`, those of CSV and a body of JSON), which OpenAPI cannot say; that each request that does not is refused
# (negative_data_rejection) fails where a server takes more than it promises, such as explain=true; and QUERY, which is
# served, has no place in OpenAPI 3.1 (unsupported_method).
checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance
# Filters are recursive and have a member for each field, so that making one takes schemathesis longer than it likes:
# these three health checks are of its own generator.
seed=()
[[ -z ${SCHEMATHESIS_SEED:-} ]] || seed=(--seed "$SCHEMATHESIS_SEED")
for sample in car-racing chinook; do
  "$duet" load "$sample" --database "sqlite:$sample.sqlite" >load.log
  "$duet" service prepare --database "sqlite:$sample.sqlite" >>load.log
  rm -f ready.json
  "$duet" serve "$sample.sqlite" --app "$sample" --open all --listen 127.0.0.1:0 --ready-file ready.json >server.log 2>&1 &
  wait_for $!
  at=$(python3 -c 'import json; ready = json.load(open("ready.json")); print(ready["urls"][0] + ready["mounts"]["'"$sample"'"])')
  venv/bin/schemathesis --config-file schemathesis.toml run "$at/open-api-catalog/" --phases examples,fuzzing \
    --checks "$checks" --continue-on-failure --max-examples "${SCHEMATHESIS_EXAMPLES:-20}" --no-color \
    --suppress-health-check data_too_large,large_base_example,too_slow \
    "${seed[@]}" >schemathesis.log 2>&1 ||
    { cat schemathesis.log; exit 1; }
  grep -A 1 -e '^Test cases:' -e '^Seed:' schemathesis.log
  kill "$server"; wait "$server" 2>/dev/null || true
done
server=
printf '\ntrial-clients: everything passed\n'
