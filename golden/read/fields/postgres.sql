-- GET /ords/hr/team/2?fields=name
-- level 0: team
--   1: 2 (part 1 of the key)
SELECT t0."team_id", t0."name"
  FROM "public"."team" AS t0
  WHERE t0."team_id" = ANY($1::int8[]);

-- GET /ords/hr/team/2?fields=points,name
-- level 0: team
--   1: 2 (part 1 of the key)
SELECT t0."team_id", t0."name", t0."points"
  FROM "public"."team" AS t0
  WHERE t0."team_id" = ANY($1::int8[]);

-- GET /ords/hr/team/?fields=name&limit=1
-- level 0: team
SELECT t0."name", t0."team_id"
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."team_id"
  LIMIT 2;

-- GET /ords/hr/team/2?fields=NAME, Points
-- level 0: team
--   1: 2 (part 1 of the key)
SELECT t0."team_id", t0."name", t0."points"
  FROM "public"."team" AS t0
  WHERE t0."team_id" = ANY($1::int8[]);

-- GET /ords/hr/team/2?fields=name,name
-- level 0: team
--   1: 2 (part 1 of the key)
SELECT t0."team_id", t0."name"
  FROM "public"."team" AS t0
  WHERE t0."team_id" = ANY($1::int8[]);

-- GET /ords/hr/driver_dv/103?fields=name,race
-- all levels
--   1: 103 (part 1 of the key)
(SELECT 0, t0."driver_id", t0."name", NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."driver" AS t0
    WHERE t0."driver_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
    FROM "public"."driver_race_map" AS t2
    LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = ANY($1::int8[])
    ORDER BY t2."driver_race_map_id");

-- GET /ords/hr/driver_dv/103?fields=race.name
-- all levels
--   1: 103 (part 1 of the key)
(SELECT 0, t0."driver_id", NULL::int4, NULL::int4, NULL::text
    FROM "public"."driver" AS t0
    WHERE t0."driver_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, t2."driver_id", t3."race_id", t3."name"
    FROM "public"."driver_race_map" AS t2
    LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = ANY($1::int8[])
    ORDER BY t2."driver_race_map_id");

-- GET /ords/hr/driver_dv/103?fields=race.raceId,race.finalPosition,team
-- all levels
--   1: 103 (part 1 of the key)
(SELECT 0, t0."driver_id", t1."team_id", t1."name", NULL::int4, NULL::int4, NULL::int4
    FROM "public"."driver" AS t0
    LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
    WHERE t0."driver_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::int4, NULL::text, t2."driver_id", t3."race_id", t2."position"
    FROM "public"."driver_race_map" AS t2
    LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
    WHERE t2."driver_id" = ANY($1::int8[])
    ORDER BY t2."driver_race_map_id");

-- GET /ords/hr/driver_dv/?fields=team,race.name&q={"name":{"$like":"C%"}}
-- level 0: driver
--   1: "C"
--   2: "D"
--   3: "C%"
--   4: 26
SELECT t1."team_id", t1."name", t0."driver_id"
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (t0."name" >= $1::text AND t0."name" < $2::text AND (t0."name")::text LIKE $3::text)
  ORDER BY t0."driver_id"
  LIMIT $4::int8;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t3."race_id", t3."name"
  FROM "public"."driver_race_map" AS t2
  LEFT JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ANY($1::int8[])
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/team_dv/?fields=driver.name&q={"$orderby":{"points":"DESC"}}
-- level 0: team
SELECT t0."team_id", t0."points"
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."points" DESC, t0."team_id"
  LIMIT 26;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."name"
  FROM "public"."driver" AS t1
  WHERE t1."team_id" = ANY($1::int8[])
  ORDER BY t1."driver_id";

-- GET /ords/hr/team_dv/302?fields=driver
-- all levels
--   1: 302 (part 1 of the key)
(SELECT 0, t0."team_id", NULL::int4, NULL::int4, NULL::text, NULL::int4
    FROM "public"."team" AS t0
    WHERE t0."team_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, t1."team_id", t1."driver_id", t1."name", t1."points"
    FROM "public"."driver" AS t1
    WHERE t1."team_id" = ANY($1::int8[])
    ORDER BY t1."driver_id");
