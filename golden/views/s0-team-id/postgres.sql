-- GET /ords/hr/team_dv/
-- level 0: team
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."team_id"
  LIMIT 26;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/team_dv/2
-- all levels
--   1: 2 (part 1 of the key)
(SELECT 0, t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."team" AS t0
    WHERE t0."team_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::xid8, t1."team_id", t1."driver_id", t1."name", t1."points"
    FROM "public"."driver" AS t1
    WHERE t1."team_id" = ANY($1::int8[])
    ORDER BY t1."driver_id");

-- GET /ords/hr/team_dv/301
-- all levels
--   1: 301 (part 1 of the key)
(SELECT 0, t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."team" AS t0
    WHERE t0."team_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::xid8, t1."team_id", t1."driver_id", t1."name", t1."points"
    FROM "public"."driver" AS t1
    WHERE t1."team_id" = ANY($1::int8[])
    ORDER BY t1."driver_id");

-- GET /ords/hr/driver_dv/
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE TRUE
  ORDER BY t0."driver_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/driver_dv/105
-- all levels
--   1: 105 (part 1 of the key)
(SELECT 0, t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."driver" AS t0
    LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
    WHERE t0."driver_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::int4, NULL::text, NULL::xid8, t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
    FROM "public"."driver_race_map" AS t2
    LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = ANY($1::int8[])
    ORDER BY t2."driver_race_map_id");

-- GET /ords/hr/race_dv/
-- level 0: race
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."race" AS t0
  WHERE TRUE
  ORDER BY t0."race_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "public"."driver_race_map" AS t1
  LEFT JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ANY($1::int8[])
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/race_dv/201
-- all levels
--   1: 201 (part 1 of the key)
(SELECT 0, t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::int4, NULL::text
    FROM "public"."race" AS t0
    WHERE t0."race_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::timestamp, NULL::json, NULL::xid8, t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
    FROM "public"."driver_race_map" AS t1
    LEFT JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
    WHERE t1."race_id" = ANY($1::int8[])
    ORDER BY t1."driver_race_map_id");

-- GET /ords/hr/race_dv/?q={"name":{"$eq":"Bahrain Grand Prix"}}
-- level 0: race
--   1: "Bahrain Grand Prix"
--   2: 26
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."race" AS t0
  WHERE t0."name" = $1::text
  ORDER BY t0."race_id"
  LIMIT $2::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "public"."driver_race_map" AS t1
  LEFT JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ANY($1::int8[])
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/race_dv/999
-- all levels
--   1: 999 (part 1 of the key)
(SELECT 0, t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::int4, NULL::text
    FROM "public"."race" AS t0
    WHERE t0."race_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::timestamp, NULL::json, NULL::xid8, t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
    FROM "public"."driver_race_map" AS t1
    LEFT JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
    WHERE t1."race_id" = ANY($1::int8[])
    ORDER BY t1."driver_race_map_id");

-- GET /ords/hr/team_dv/?q={"teamId":{"$gte":301},"$orderby":{"name":"ASC"}}
-- level 0: team
--   1: 301
--   2: 26
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."team" AS t0
  WHERE t0."team_id" >= $1::int8
  ORDER BY t0."name", t0."team_id"
  LIMIT $2::int8;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/driver_dv/?q={"race.raceId":201}
-- level 0: driver
--   1: 201
--   2: 26
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE EXISTS (SELECT 1
    FROM "public"."driver_race_map" AS t2
    JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = t0."driver_id" AND t3."race_id" = $1::int8)
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";
