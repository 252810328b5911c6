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

-- GET /ords/hr/team_dv/302
-- all levels
--   1: 302 (part 1 of the key)
(SELECT 0, t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."team" AS t0
    WHERE t0."team_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::xid8, t1."team_id", t1."driver_id", t1."name", t1."points"
    FROM "public"."driver" AS t1
    WHERE t1."team_id" = ANY($1::int8[])
    ORDER BY t1."driver_id");

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

-- GET /ords/hr/driver_dv/103
-- all levels
--   1: 103 (part 1 of the key)
(SELECT 0, t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."driver" AS t0
    LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
    WHERE t0."driver_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::int4, NULL::text, NULL::xid8, t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
    FROM "public"."driver_race_map" AS t2
    LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = ANY($1::int8[])
    ORDER BY t2."driver_race_map_id");

-- GET /ords/hr/team_dv/?q={"points":{"$gt":40}}
-- level 0: team
--   1: 40
--   2: 26
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."team" AS t0
  WHERE t0."points" > $1::int8
  ORDER BY t0."team_id"
  LIMIT $2::int8;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/race_dv/?q={"name":{"$eq":"Blue Air Bahrain Grand Prix"}}
-- level 0: race
--   1: "Blue Air Bahrain Grand Prix"
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

-- GET /ords/hr/driver_dv/?q={"teamId":null}
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t1."team_id" IS NULL
  ORDER BY t0."driver_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";

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

-- GET /ords/hr/driver_dv/?q={"$or":[{"name":{"$like":"George%"}},{"name":{"$like":"Charles%"}}]}
-- level 0: driver
--   1: "George"
--   2: "Georgf"
--   3: "George%"
--   4: "Charles"
--   5: "Charlet"
--   6: "Charles%"
--   7: 26
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE ((t0."name" >= $1::text AND t0."name" < $2::text AND (t0."name")::text LIKE $3::text) OR (t0."name" >= $4::text AND t0."name" < $5::text AND (t0."name")::text LIKE $6::text))
  ORDER BY t0."driver_id"
  LIMIT $7::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";

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

-- GET /ords/hr/team_dv/?q={"driver.name":{"$in":["George Russell","Max Verstappen"]},"$orderby":{"points":"DESC"}}
-- level 0: team
--   1: "George Russell"
--   2: "Max Verstappen"
--   3: 26
SELECT t0."team_id", t0."name", t0."points", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."team" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."driver" AS t1
    WHERE t1."team_id" = t0."team_id" AND t1."name" IN ($1::text, $2::text))
  ORDER BY t0."points" DESC, t0."team_id"
  LIMIT $3::int8;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/driver_dv/101
-- all levels
--   1: 101 (part 1 of the key)
(SELECT 0, t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."driver" AS t0
    LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
    WHERE t0."driver_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::int4, NULL::int4, NULL::text, NULL::xid8, t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
    FROM "public"."driver_race_map" AS t2
    LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = ANY($1::int8[])
    ORDER BY t2."driver_race_map_id");

-- GET /ords/hr/driver_dv/?q={"team":{"$null":null},"$orderby":{"name":"ASC"}}
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t1."name" IS NULL
  ORDER BY t0."name", t0."driver_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/driver_dv/?q={"$orderby":{"team":"ASC"}}&after=&limit=4
-- level 0: driver
--   1: 5
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE TRUE
  ORDER BY t1."name" NULLS LAST, t0."driver_id"
  LIMIT $1::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";

-- GET the next page
-- level 0: driver
--   1: "Mercedes"
--   2: "Mercedes"
--   3: 106
--   4: 5
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE TRUE AND (((t1."name" > $1::text OR t1."name" IS NULL)) OR ((t1."name" = $2::text) AND (t0."driver_id" > $3::int8)))
  ORDER BY t1."name" NULLS LAST, t0."driver_id"
  LIMIT $4::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";
