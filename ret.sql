\set n random(1000, 100000)
\set p random(1, 1000000)
UPDATE team SET points = :p WHERE team_id = :n RETURNING team_id, name, points, (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()));
