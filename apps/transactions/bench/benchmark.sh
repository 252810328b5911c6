#!/bin/sh
# Measures a server of the sample `transactions` by its native routes: reads by id, lists of rows, single creations and
# batches, each by some numbers of clients. Every id is new. Prints a table, and keeps it with the whole reports in
# benchmark_results_YYYYMMDD_HHMMSS.txt of the current folder. Exits with 1 where a request failed.
#
#   BASE_URL  where the server is        http://localhost:8080
#   DURATION  measured time per point    10s
#   WARMUP    time before it             2s
#   POINTS    TYPE:CLIENTS …             GET:10 GET:50 LIST:5 LIST:20 CREATE:10 CREATE:50 BATCH:10
#   CLIENT    ID:SECRET of a client      none: the server is open
#   DUET      the program                duet
set -eu

base=${BASE_URL:-http://localhost:8080}
points=${POINTS:-GET:10 GET:50 LIST:5 LIST:20 CREATE:10 CREATE:50 BATCH:10}
results=benchmark_results_$(date +%Y%m%d_%H%M%S).txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

line() {
  printf '%-8s %8s %10s %8s %12s %10s %10s\n' "$@" | tee -a "$results"
}

printf '%s, %s, %s per point\n' "$base" "$(date)" "${DURATION:-10s}" | tee "$results"
line type clients requests failed requests/s p50 p99
for point in $points; do
  type=${point%%:*}
  clients=${point##*:}
  set -- --mix "$type=1" --users "$clients" --duration "${DURATION:-10s}" --warmup "${WARMUP:-2s}"
  [ -z "${CLIENT:-}" ] || set -- "$@" --client "$CLIENT"
  "${DUET:-duet}" bench run txn --target "$base/transactions" "$@" --quiet --out "$work/$type-$clients" \
    >"$work/report" 2>&1 || status=1
  # The row of all requests, which are of one type, in the tables of counts and of percentiles; n/a where too few requests were sent for one.
  row=$(awk '
    /^service time/ { table = 1 }
    /^percentiles/ { table = 2 }
    $1 == "all" && table == 1 { count = $(NF - 5); failed = $(NF - 4); rate = $(NF - 3) }
    $1 == "all" && table == 2 { print count, failed, rate, $(NF - 4), $(NF - 1); exit }' "$work/report")
  if [ -z "$row" ]; then
    cat "$work/report"
    exit 1
  fi
  # Split into the columns of the table.
  # shellcheck disable=SC2086
  line "$type" "$clients" $row
  cat "$work/report" >>"$work/reports"
done
{ echo; cat "$work/reports"; } >>"$results"
echo "Kept in $results"
exit "$status"
