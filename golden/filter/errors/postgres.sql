-- GET /ords/hr/race_dv/?q={"podium":"x"}
-- level 0: race
--   1: "lax $ ? ((@.type() == \"string\" && @ == \"x\"))"
--   2: 26
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."race" AS t0
  WHERE ((t0."podium")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."race_id"
  LIMIT $2::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "public"."driver_race_map" AS t1
  LEFT JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ANY($1::int8[])
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/race_dv/?q={"podium.winner":"x"}
-- level 0: race
--   1: "lax $.\"winner\" ? ((@.type() == \"string\" && @ == \"x\"))"
--   2: 26
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."race" AS t0
  WHERE ((t0."podium")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."race_id"
  LIMIT $2::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "public"."driver_race_map" AS t1
  LEFT JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ANY($1::int8[])
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/team/?q=
-- level 0: team
SELECT t0."team_id", t0."name", t0."points"
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."team_id"
  LIMIT 26;

-- GET /ords/hr/team_dv/?q={"points":{"$eq":99999999999999999999}}
-- level 0: team
--   1: 1
--   2: 0
--   3: 26
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."team" AS t0
  WHERE (t0."points" >= $1::int8 AND t0."points" <= $2::int8)
  ORDER BY t0."team_id"
  LIMIT $3::int8;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/team_dv/?q={"points":1.5}
-- level 0: team
--   1: 1
--   2: 0
--   3: 26
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."team" AS t0
  WHERE (t0."points" >= $1::int8 AND t0."points" <= $2::int8)
  ORDER BY t0."team_id"
  LIMIT $3::int8;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/team_dv/?fields=_id&q={"points":{"$lt":1e300}}
-- level 0: team
--   1: -9223372036854775808
--   2: 26
SELECT t0."team_id"
  FROM "public"."team" AS t0
  WHERE t0."points" >= $1::int8
  ORDER BY t0."team_id"
  LIMIT $2::int8;
