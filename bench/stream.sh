#!/usr/bin/env bash
# How fast a million rows leave: NDJSON and CSV of a table, beside psql's own \copy of the same rows.
#
#   bench/stream.sh [rows]
#
# A throwaway PostgreSQL is started (PGBIN names its programs, else pg_config's folder), and Duet
# serves it (DUET names the binary, else target/dist/duet). Each way runs in turn ROUNDS times;
# the best of each is shown, in rows per second, with its part of psql's. Both read in the order of
# the key. The server's largest memory stands below: it does not grow with the rows.
set -euo pipefail

rows=${1:-1000000}
rounds=${ROUNDS:-3}
here=$(cd "$(dirname "$0")/.." && pwd)
duet=${DUET:-$here/target/dist/duet}
bin=${PGBIN:-$(pg_config --bindir)}
work=$(mktemp -d)
port=${PORT:-18497}
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    "${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT

# PostgreSQL refuses to run as root.
as=()
if [ "$(id -u)" = 0 ]; then
    chown nobody "$work"
    chmod 755 "$work"
    as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
fi
"${as[@]}" "$bin/initdb" -D "$work/data" -U postgres -A trust -E UTF8 --locale=C >/dev/null
"${as[@]}" "$bin/pg_ctl" -D "$work/data" -w -o "-k $work -c listen_addresses= -c fsync=off -c shared_buffers=512MB" -l "$work/data/log" start >/dev/null
psql=("$bin/psql" -X -q -h "$work" -U postgres -d postgres -v ON_ERROR_STOP=1)

"${psql[@]}" <<SQL
CREATE TABLE sale (sale_id bigint PRIMARY KEY, customer_id integer NOT NULL, product varchar(40) NOT NULL,
    price numeric(10,2) NOT NULL, sold timestamp NOT NULL, note text);
INSERT INTO sale SELECT i, i % 5000, 'product number ' || i % 900, (i % 100000) / 100.0,
    timestamp '2024-01-01' + i * interval '13 seconds', CASE WHEN i % 3 = 0 THEN 'a note, "quoted"' END
    FROM generate_series(1, $rows) AS n(i);
VACUUM ANALYZE sale;
SQL

"$duet" serve "postgres:///postgres?host=$work&user=postgres" --open read --listen "127.0.0.1:$port" --ready-file "$work/ready" >"$work/duet.log" 2>&1 &
server=$!
pids+=("$server")
until [ -s "$work/ready" ]; do
    kill -0 "$server" || { cat "$work/duet.log"; exit 1; }
    sleep 0.05
done
url="http://127.0.0.1:$port/api/public/sale/"

copy() { "${psql[@]}" -c "\\copy (SELECT * FROM sale ORDER BY sale_id) TO STDOUT $1"; }
stream() { curl -sfN -H "Accept: $1" "$url"; }
# Seconds that a command takes until its last line is counted; the lines must be as many as said.
timed() {
    local expected=$1 begun ended lines
    shift
    begun=$(date +%s.%N)
    lines=$("$@" | wc -l)
    ended=$(date +%s.%N)
    [ "$lines" = "$expected" ] || { echo "$*: $lines lines, not $expected" >&2; return 1; }
    echo "$begun $ended" | awk '{ print $2 - $1 }'
}

declare -A best
keep() { best[$1]=$(echo "${best[$1]:-1e9} $2" | awk '{ print ($1 < $2) ? $1 : $2 }'); }
for _ in $(seq "$rounds"); do
    keep "psql text" "$(timed "$rows" copy "")"
    keep "psql csv" "$(timed $((rows + 1)) copy "WITH (FORMAT csv, HEADER)")"
    keep "ndjson" "$(timed "$rows" stream application/x-ndjson)"
    keep "csv" "$(timed $((rows + 1)) stream text/csv)"
done
row() {
    echo "${best[$1]} ${best[$2]} $rows $1" | awk '{ printf "%-10s %6.2f s  %9d rows/s  %.2f of psql\n", $4 " " $5, $1, $3 / $1, $2 / $1 }'
}
row "psql text" "psql text"
row "psql csv" "psql csv"
row "ndjson" "psql text"
row "csv" "psql csv"
awk '/VmHWM/ { printf "largest memory of the server: %d MiB\n", $2 / 1024 }' "/proc/$server/status"
