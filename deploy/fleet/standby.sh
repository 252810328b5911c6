#!/bin/sh
# Copies the primary where this standby has no data yet, and follows it.
set -e
export PGPASSWORD="$COPY_PWD"
until [ -f "$PGDATA/standby.signal" ]; do
  rm -rf "$PGDATA"
  pg_basebackup -h db -U replicator -D "$PGDATA" -R -X stream -c fast || sleep 2
done
chmod 700 "$PGDATA"
exec postgres -D "$PGDATA" -c max_connections=200 -c hot_standby_feedback=on
