-- GET /ords/hr/team_dv/
-- level 0: team
SELECT t0."team_id", t0."name", t0."points", NULL
  FROM "main"."team" AS t0
  WHERE TRUE
  ORDER BY t0."team_id"
  LIMIT 26;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "main"."driver" AS t1
  WHERE t1."team_id" = ?1
  ORDER BY t1."driver_id";

-- GET /ords/hr/team_dv/2
-- level 0: team
--   1: 2 (part 1 of the key)
SELECT t0."team_id", t0."name", t0."points", NULL
  FROM "main"."team" AS t0
  WHERE t0."team_id" = ?1;

-- level 1: driver
--   1: 2 (part 1 of the key)
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "main"."driver" AS t1
  WHERE t1."team_id" = ?1
  ORDER BY t1."driver_id";

-- GET /ords/hr/team_dv/301
-- level 0: team
--   1: 301 (part 1 of the key)
SELECT t0."team_id", t0."name", t0."points", NULL
  FROM "main"."team" AS t0
  WHERE t0."team_id" = ?1;

-- level 1: driver
--   1: 301 (part 1 of the key)
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "main"."driver" AS t1
  WHERE t1."team_id" = ?1
  ORDER BY t1."driver_id";

-- GET /ords/hr/driver_dv/
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE TRUE
  ORDER BY t0."driver_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/driver_dv/105
-- level 0: driver
--   1: 105 (part 1 of the key)
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t0."driver_id" = ?1;

-- level 1: driver_race_map
--   1: 105 (part 1 of the key)
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/race_dv/
-- level 0: race
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", NULL
  FROM "main"."race" AS t0
  WHERE TRUE
  ORDER BY t0."race_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "main"."driver_race_map" AS t1
  LEFT JOIN "main"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ?1
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/race_dv/201
-- level 0: race
--   1: 201 (part 1 of the key)
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", NULL
  FROM "main"."race" AS t0
  WHERE t0."race_id" = ?1;

-- level 1: driver_race_map
--   1: 201 (part 1 of the key)
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "main"."driver_race_map" AS t1
  LEFT JOIN "main"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ?1
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/race_dv/?q={"name":{"$eq":"Bahrain Grand Prix"}}
-- level 0: race
--   1: "Bahrain Grand Prix"
--   2: 26
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", NULL
  FROM "main"."race" AS t0
  WHERE t0."name" = ?1
  ORDER BY t0."race_id"
  LIMIT ?2;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "main"."driver_race_map" AS t1
  LEFT JOIN "main"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ?1
  ORDER BY t1."driver_race_map_id";

-- GET /ords/hr/race_dv/999
-- level 0: race
--   1: 999 (part 1 of the key)
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium", NULL
  FROM "main"."race" AS t0
  WHERE t0."race_id" = ?1;

-- level 1: driver_race_map
--   1: 999 (part 1 of the key)
SELECT t1."race_id", t1."driver_race_map_id", t1."position", t2."driver_id", t2."name"
  FROM "main"."driver_race_map" AS t1
  LEFT JOIN "main"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
  WHERE t1."race_id" = ?1
  ORDER BY t1."driver_race_map_id";
