#!/usr/bin/env bash
# Runs the trial of items in memory beside other programs, one means after the other, and sums it up in one line.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${PROFILE---release}
cargo test $profile -p duet-http --test it rowstore::capture_trial -- --nocapture --test-threads 1 |
  tee /dev/stderr |
  sed -n 's/.*trial_[a-z_]*: \([0-9]*\) operations in \([0-9]*\) s: \([0-9]*\) reads, \([0-9]*\) from memory, \([0-9]*\) writes, \([0-9]*\) disturbances.*/\1 \2 \3 \4 \5 \6/p' |
  awk '{ trials++; for (at = 1; at <= 6; at++) sum[at] += $at }
    END {
      if (trials != 4) { print "trial-rowstore: only " trials + 0 " of 4 trials have ended"; exit 1 }
      printf "trial-rowstore: %d operations in %d s: %d reads, %d from memory, %d writes, %d disturbances; no stale read, no lost change\n",
        sum[1], sum[2], sum[3], sum[4], sum[5], sum[6]
    }'
