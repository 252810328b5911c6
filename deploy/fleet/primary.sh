#!/bin/sh
# Run once by the image of the primary: the role of Duet, and the one that standbys copy with.
set -e
psql -v ON_ERROR_STOP=1 -v duet="$DUET_PWD" -v copy="$COPY_PWD" -U postgres -d shop <<'SQL'
CREATE ROLE duet LOGIN PASSWORD :'duet';
-- A standby that was promoted is known at once.
GRANT pg_read_all_stats TO duet;
GRANT CREATE ON DATABASE shop TO duet;
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'copy';
SQL
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"
