\set n random(1000, 100000)
\set p random(1, 1000000)
UPDATE team t0 SET points = k.k1 FROM unnest(ARRAY[:n]::int8[], ARRAY[:p]::int8[]) WITH ORDINALITY AS k(k0, k1, ord) WHERE t0.team_id = k.k0 RETURNING t0.team_id, t0.name, t0.points, (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), k.ord;
