-- GET /ords/hr/team/2
-- level 0: team
--   1: 2 (part 1 of the key)
SELECT t0."team_id", t0."name", t0."points"
  FROM "public"."team" AS t0
  WHERE t0."team_id" = ANY($1::int8[]);

-- GET /ords/hr/team/
-- level 0: team
SELECT t0."team_id", t0."name", t0."points"
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."team_id"
  LIMIT 26;

-- GET /ords/hr/driver/?limit=2
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t0."team_id"
  FROM "public"."driver" AS t0
  WHERE TRUE
  ORDER BY t0."driver_id"
  LIMIT 3;

-- GET /ords/hr/race/
-- level 0: race
SELECT t0."race_id", t0."name", t0."laps", t0."race_date", t0."podium"
  FROM "public"."race" AS t0
  WHERE TRUE
  ORDER BY t0."race_id"
  LIMIT 26;

-- GET /ords/hr/driver_race_map/
-- level 0: driver_race_map
SELECT t0."driver_race_map_id", t0."race_id", t0."driver_id", t0."position"
  FROM "public"."driver_race_map" AS t0
  WHERE TRUE
  ORDER BY t0."driver_race_map_id"
  LIMIT 26;
