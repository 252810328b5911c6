-- GET /ords/hr/driver_dv/?q={"$or":[{"name":{"$like":"George%"}},{"name":{"$like":"Charles%"}}]}
-- level 0: driver
--   1: "George%"
--   2: "Charles%"
--   3: 26
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE ((t0."name")::text LIKE $1::text OR (t0."name")::text LIKE $2::text)
  ORDER BY t0."driver_id"
  LIMIT $3::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";
