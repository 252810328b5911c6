# The menu. Logic stays in ./test, in the program and in bench/.

default:
    @just --list

# everything that continuous integration does
test:
    ./test

# the tests of some crates, and short ones of crates that use them: just test-crates crates/sql
test-crates +CRATES:
    ./test {{CRATES}}

# the same for what differs from origin/main
test-changed:
    ./test --changed

# everything with the full counts of kills, power cuts, random operations and examples, and the scripts of bench/all.sh once
test-long:
    ./test --long

# the car-racing sample on embedded SQLite, http://127.0.0.1:8080
demo:
    cargo run --release -- demo

# formatting, lints, docs
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

# golden cases and generated docs; look at the difference before committing it
accept:
    DUET_ACCEPT=1 cargo test --workspace

# axe-core over each screen of the console, light and dark: npm pack axe-core, unpack it, then just axe package/axe.min.js
axe FILE:
    DUET_AXE="$(realpath {{FILE}})" cargo test -p duet --test it serving::console_access

# a throwaway PostgreSQL with DATABASE_URL set, for one command: just with-postgres psql
with-postgres *COMMAND:
    cargo run --release -p duet-testkit --bin throwaway-postgres -- --fsync -- {{COMMAND}}

# the figures of bench/log/, side by side in one run; needs wrk
figures *ARGUMENTS:
    bench/figures.sh {{ARGUMENTS}}

# Duet beside PostgREST, pREST and PocketBase; needs wrk, npm and Go
rivals *ARGUMENTS:
    bench/rivals.sh {{ARGUMENTS}}

# two builds interleaved, for each figure of bench/log/: just pairs /path/to/older/duet; needs wrk
pairs OLD *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/pairs.sh --old {{OLD}} {{ARGUMENTS}}

# instructions of the server for each kind of request, beside the recorded ones; needs valgrind
instructions *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/instructions.sh {{ARGUMENTS}}

# what the costs of a start and of requests grow with, by instructions; needs valgrind
growth *ARGUMENTS:
    cargo build --profile dist -p duet
    bench/growth.sh {{ARGUMENTS}}

# lists and POSTs of the sample orders beside pgbench, by size, with and without indexes; needs wrk and pgbench
orders *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/orders.sh --built {{ARGUMENTS}}

# each kind of index of a collection beside a B-tree, on the query it exists for
index-kinds *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/index_kinds.sh --built {{ARGUMENTS}}

# throughput with 100 tenants beside one, on both stores; needs wrk
tenants *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/tenants.sh --built {{ARGUMENTS}}

# items from memory beside a constant answer of their size and beside the store; needs wrk
rowstore *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/rowstore.sh {{ARGUMENTS}}

# processor time of 100,000 lookups over HTTP, from memory beside the heap; needs chrt
rowstore-cost *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/rowstore_cost.sh {{ARGUMENTS}}

# the bench beside wrk, against a server that drops connections and one with 9,000 slow answers at a time; needs wrk
client *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/client.sh --built {{ARGUMENTS}}

# how soon changes by other programs are seen, and what capturing them costs; needs pgbench
capture *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/capture.sh --built {{ARGUMENTS}}

# rows acknowledged from a journal beside \copy, commit classes, and what async loses; needs psql
ingest *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/ingest.sh --built {{ARGUMENTS}}

# items from memory beside Redis; needs wrk, redis-server and redis-benchmark
rowstore-redis *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/rowstore_redis.sh {{ARGUMENTS}}

# a document that changes 100 times a second while it is read from memory
rowstore-writes *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/rowstore_writes.sh {{ARGUMENTS}}

# a million operations at random over items in memory beside other programs that write to the database, by the stream and by the
# change table, with one server and with two, the capture cut, servers and the database killed and tables altered; and as many within
# one process: no read may be older than is allowed. The last line is the summary; takes about 10 minutes
trial-rowstore OPERATIONS="250000":
    DUET_TRIAL_OPERATIONS={{OPERATIONS}} cargo test --release -p duet-http --test it rowstore::trial
    DUET_TRIAL_OPERATIONS={{OPERATIONS}} bench/trial_rowstore.sh

# JMeter itself runs the plan for orders against the sample folio, then `duet bench run`; PLANS is a checkout of FOLIO's plans.
trial-jmeter PLANS="" THREADS="4" SECONDS="30":
    cargo build --release -p duet
    bench/trial_jmeter.sh "{{PLANS}}" {{THREADS}} {{SECONDS}}

# JMeter itself runs the plans of crates/bench/tests/jmeter, and writes what it asked and reported (trial-jmeter fetches it).
trial-jmeter-plans JMETER="$HOME/.cache/duet-jmeter":
    python3 bench/jmeter/corpus.py {{JMETER}} crates/bench/tests/jmeter/*.plans
    git diff --stat crates/bench/tests/jmeter

# clients generated by openapi-typescript, openapi-python-client and openapi-generator compile, their calls are answered as typed, and
# schemathesis finds no answer that the documents do not allow; needs node and npm, and Java for openapi-generator
trial-clients:
    cargo build --release -p duet
    bench/trial_clients.sh

# an agent that is not ours, the protocol's Python package, on 49 tables and on 2,000, over both transports; needs python3
trial-agents:
    cargo build --release -p duet
    bench/trial_agents.sh

# random CQL over random rows and documents on both stores, compared with its meaning by brute force
trial-cql QUERIES="100000":
    DUET_TRIAL_QUERIES={{QUERIES}} cargo test --release -p duet-service --test it filters::cql:: -- --nocapture
    DUET_TRIAL_QUERIES={{QUERIES}} cargo test --release -p duet-http --test it cql_trial:: -- --nocapture

# the queries of RMB's own tests of CQL that have results, on both stores; PATH is a checkout of raml-module-builder; needs psql
trial-rmb PATH:
    cargo build --release -p duet -p duet-testkit
    target/release/throwaway-postgres -- sh -c 'bench/trial_rmb.py {{PATH}} target/release/duet sqlite: "$DATABASE_URL"'

# golden cases on Citus 13 beside plain PostgreSQL, by designs (R M C K P) and parts of cases' names; PATH is the folder of the
# programs of a PostgreSQL that has it, which you built
trial-citus PATH *ARGUMENTS:
    cargo build --release -p duet
    bench/trial_citus.py {{PATH}} target/release/duet {{ARGUMENTS}}

# what `duet check --engine citus` proposes for each sample, run on Citus, and its promises beside what is seen there; by samples
trial-citus-samples PATH *ARGUMENTS:
    cargo build --release -p duet
    bench/trial_citus_samples.py {{PATH}} target/release/duet {{ARGUMENTS}}

# the same Citus under load: documents and pages that are torn, the journal, rates beside plain PostgreSQL; by designs (R M K C) and
# parts (torn journal rates); `rates` needs wrk
trial-citus-load PATH *ARGUMENTS:
    cargo build --release -p duet
    bench/trial_citus_load.py {{PATH}} target/release/duet {{ARGUMENTS}}

# the published load test of ORDS by k6 itself, on both stores, with every check; skipped where k6 is not on the path
trial-k6:
    bench/k6/run.sh

# faults injected from outside, and what unrelated requests notice of them; needs psql and sqlite3; takes 8 minutes, with --quick 4
trial-faults *ARGUMENTS:
    cargo build --profile dist -p duet -p duet-testkit
    bench/trials.sh {{ARGUMENTS}}

# the manual as a site in target/book; needs mdbook (cargo install mdbook --locked)
book:
    mdbook build docs

# a release in target/release-files: static binary, symbols, Debian package, SBOM, checksums; its head says what it needs
release:
    deploy/release.sh

# dependencies: licences, bans, sources and known vulnerabilities; needs cargo-deny (cargo install cargo-deny --locked)
audit:
    cargo deny --locked check licenses bans sources
    cargo deny --locked check advisories || { echo "advisories: a finding is above, or the RustSec database could not be fetched and NOTHING was checked"; exit 1; }

# fuzz a target for ten minutes: just fuzz parse
fuzz TARGET:
    cargo +nightly fuzz run {{TARGET}} -- -max_total_time=600

# a million spoiled service files: each is read or refused
fuzz-services CASES="1000000":
    DUET_FUZZ_CASES={{CASES}} cargo test --release -p duet --bin duet any_file_is_read_or_refused -- --nocapture

# the server killed a thousand times in the middle of writes and of requests with idempotency keys, on both stores; PostgreSQL with fsync=on
trial-kill KILLS="1000":
    DUET_KILLS={{KILLS}} cargo test --release -p duet --test it kill:: -- --nocapture

# the power cut a thousand times in the middle of writes, for each way to keep a journal of SQLite
trial-power CUTS="1000":
    DUET_CUTS={{CUTS}} cargo test --release -p duet --test it power:: -- --nocapture

# 32 hostile clients on one processor: latency of /health/live from the other, and the peak resident memory; takes 20 seconds
trial-hostile:
    bench/hostile.sh

# each request that costs a server much, on both stores, in one process and in three, and what clients beside it notice; takes 15 minutes
trial-matrix:
    bench/hostile.sh --matrix

# several servers of one database, as processes: what idle ones cost (1, 3, 20), 20 restarts of three behind haproxy under load, and the
# processes of deploy/fleet; needs PostgreSQL, haproxy and pgbouncer 1.21 or later
trial-fleet *ARGUMENTS:
    cargo build --release -p duet
    bench/fleet.py idle
    bench/fleet.py rolling {{ARGUMENTS}}
    bench/fleet.py stack {{ARGUMENTS}}

# the primary fails under load and its standby is promoted, N times, with synchronous and with asynchronous replication, fsync on: what
# was acknowledged and is lost is counted; needs PostgreSQL
trial-failover N="100":
    cargo build --release -p duet
    bench/fleet.py failover --failovers {{N}}

# clients read what they have written, from standbys whose streams a proxy holds up by 0.2 s at most: stale reads are counted
trial-lag READS="1000000":
    cargo build --release -p duet
    bench/fleet.py lag --reads {{READS}}
