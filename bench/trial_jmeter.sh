#!/usr/bin/env bash
# JMeter itself runs FOLIO's plan for orders against the sample folio, on SQLite and on PostgreSQL, then `duet bench
# jmeter` runs the same plan, and JMeter makes its report of that command's samples. JMeter comes from Maven Central, through mvn, into a folder that is kept.
#
#   bench/trial_jmeter.sh [PLANS] [THREADS] [SECONDS]
#
# PLANS is a checkout of folio-org/folio-perf-test with the branch mod-orders-performance-test; of its plan only
# config.csv is changed. Without it (or with ""), the plan is bench/jmeter/orders.jmx, which makes the same requests.
# DUET is the program (target/release/duet), POSTGRES the database of the second part (left out without it), JMETER
# the folder of JMeter. With LOOPS, each thread of our plan ends after so many, and both generators must have as many
# samples of each label and status.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
plans=${1:-} threads=${2:-4} seconds=${3:-30}
duet=${DUET:-$here/../target/release/duet}
jmeter=${JMETER:-${XDG_CACHE_HOME:-$HOME/.cache}/duet-jmeter}
version=5.6.3
work=$(mktemp -d)
server=
stop() { [ -z "$server" ] || kill "$server" 2>/dev/null || true; }
trap 'stop; rm -rf "$work"' EXIT

get_jmeter() {
  [ -f "$jmeter/bin/ApacheJMeter.jar" ] && return
  mkdir -p "$jmeter/bin" "$jmeter/lib/ext" "$jmeter/lib/junit"
  mvn -q -B -f "$here/jmeter/pom.xml" "-Djmeter=$version" dependency:copy-dependencies "-DoutputDirectory=$jmeter/lib"
  mv "$jmeter"/lib/ApacheJMeter_config-*.jar "$work/config.jar"
  mv "$jmeter"/lib/ApacheJMeter_*.jar "$jmeter/lib/ext/"
  (cd "$jmeter" && unzip -qo "$work/config.jar" 'bin/*')
  mv "$jmeter/lib/ApacheJMeter-$version.jar" "$jmeter/bin/ApacheJMeter.jar"
}

# Serves the sample over a database, with a client whose secret is the password of the plan.
serve() {
  "$duet" load folio --database "$1" --replace > "$work/load.txt"
  rm -f "$work/state.json"
  "$duet" client add librarian --id diku_admin --role duet.read --role duet.write --role duet.execute \
    --state "$work/state.json" --json > "$work/client.json"
  password=$(sed -n 's/.*"client_secret": "\(.*\)".*/\1/p' "$work/client.json")
  "$duet" serve "$1" --app folio --state "$work/state.json" --listen 127.0.0.1:0 \
    --ready-file "$work/ready.json" > "$work/serve.txt" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    port=$(grep -oE '127\.0\.0\.1:[0-9]+' "$work/serve.txt" | head -1 | cut -d: -f2 || true)
    [ -n "$port" ] && return
    sleep 0.1
  done
  cat "$work/serve.txt"
  exit 1
}

# The plan in a folder of its own, and the options that it needs.
prepare() {
  rm -rf "$work/plan"
  if [ -n "$plans" ]; then
    mkdir "$work/plan"
    found=$(find "$plans" -name mod-orders-performance-testing.jmx | head -1)
    [ -n "$found" ] || { echo "$plans has no mod-orders-performance-testing.jmx: check the branch mod-orders-performance-test out"; exit 2; }
    cp "$found" "$work/plan/plan.jmx"
    echo "diku,diku_admin,$password,http,127.0.0.1,$port,$threads,1,$seconds" > "$work/plan/config.csv"
    options=()
  else
    mkdir "$work/plan"
    cp "$here/jmeter/orders.jmx" "$work/plan/plan.jmx"
    options=(-Jport="$port" -Juser=diku_admin -Jpassword="$password" -Jthreads="$threads" -Jseconds="$seconds")
    [ -z "${LOOPS:-}" ] || options+=(-Jloops="$LOOPS" -Jseconds=3600)
  fi
}

# The labels of a JTL with samples, errors and means.
figures() {
  awk -F, 'NR > 1 { n[$3]++; t[$3] += $2; if ($8 != "true") e[$3]++; if (!($3 in o)) { o[$3] = ++c; l[c] = $3 } }
    END { for (i = 1; i <= c; i++) { k = l[i]; printf "  %-40s %8d samples %6d failed %9.1f ms\n", k, n[k], e[k], t[k] / n[k] } }' "$1"
}

# What both generators must have alike: the labels of a log; with a number of loops also how often, and the statuses.
labels() { awk -F, -v loops="${LOOPS:-}" 'NR > 1 { print loops ? $3 "," $4 : $3 }' "$1" | sort | if [ -n "${LOOPS:-}" ]; then uniq -c; else uniq; fi; }

# JMeter's report of the samples that Duet wrote counts all of them.
report() {
  rm -rf "$work/report"
  java -jar "$jmeter/bin/ApacheJMeter.jar" -g "$work/duet.jtl" -o "$work/report" -j "$work/report.log" > "$work/report.txt" 2>&1 ||
    { tail -20 "$work/report.txt" "$work/report.log"; exit 1; }
  written=$(($(wc -l < "$work/duet.jtl") - 1))
  counted=$(sed -n '/"Total"/,/}/s/.*"sampleCount" : \([0-9]*\).*/\1/p' "$work/report/statistics.json")
  echo "$1: JMeter's report of the samples of duet bench run: $counted of $written"
  [ "$written" = "$counted" ] || exit 1
}

# The failed samples of a log; a plan of which one fails is not passed.
failed() { awk -F, 'NR > 1 && $8 != "true"' "$1" | wc -l; }

trial() {
  serve "$2"
  prepare
  rm -f "$work"/*.jtl
  (cd "$work/plan" && java -jar "$jmeter/bin/ApacheJMeter.jar" -n -t plan.jmx -l "$work/jmeter.jtl" -j "$work/jmeter.log" \
    -Jjmeter.save.saveservice.output_format=csv "${options[@]}" > "$work/jmeter.txt" 2>&1) || { tail -20 "$work/jmeter.txt" "$work/jmeter.log"; exit 1; }
  echo "$1: JMeter $version"
  figures "$work/jmeter.jtl"
  (cd "$work/plan" && "$duet" bench run plan.jmx "${options[@]}" --jtl "$work/duet.jtl" --quiet --out "$work/out$RANDOM$RANDOM") > "$work/duet.txt" || true
  echo "$1: duet bench run"
  cat "$work/duet.txt"
  report "$1"
  diff <(labels "$work/jmeter.jtl") <(labels "$work/duet.jtl") || { echo "$1: the labels differ"; exit 1; }
  stop
  server=
  count=$(($(failed "$work/jmeter.jtl") + $(failed "$work/duet.jtl")))
  [ "$count" = 0 ] || { echo "$1: $count samples failed"; exit 1; }
}

get_jmeter
trial SQLite "sqlite:$work/folio.db"
[ -z "${POSTGRES:-}" ] || trial PostgreSQL "$POSTGRES"
