\set n random(1000, 100000)
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())) FROM "public"."team" AS t0 WHERE t0."team_id" = :n FOR UPDATE OF t0;
