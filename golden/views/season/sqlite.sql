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

-- GET /ords/hr/team_dv/302
-- level 0: team
--   1: 302 (part 1 of the key)
SELECT t0."team_id", t0."name", t0."points", NULL
  FROM "main"."team" AS t0
  WHERE t0."team_id" = ?1;

-- level 1: driver
--   1: 302 (part 1 of the key)
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

-- GET /ords/hr/driver_dv/103
-- level 0: driver
--   1: 103 (part 1 of the key)
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t0."driver_id" = ?1;

-- level 1: driver_race_map
--   1: 103 (part 1 of the key)
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/team_dv/?q={"points":{"$gt":40}}
-- level 0: team
--   1: 40
--   2: 26
SELECT t0."team_id", t0."name", t0."points", NULL
  FROM "main"."team" AS t0
  WHERE t0."points" > ?1
  ORDER BY t0."team_id"
  LIMIT ?2;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "main"."driver" AS t1
  WHERE t1."team_id" = ?1
  ORDER BY t1."driver_id";

-- GET /ords/hr/race_dv/?q={"name":{"$eq":"Blue Air Bahrain Grand Prix"}}
-- level 0: race
--   1: "Blue Air Bahrain Grand Prix"
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

-- GET /ords/hr/driver_dv/?q={"teamId":null}
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t1."team_id" IS NULL
  ORDER BY t0."driver_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

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

-- GET /ords/hr/driver_dv/?q={"$or":[{"name":{"$like":"George%"}},{"name":{"$like":"Charles%"}}]}
-- level 0: driver
--   1: "George"
--   2: "Georgf"
--   3: "George%"
--   4: "Charles"
--   5: "Charlet"
--   6: "Charles%"
--   7: 26
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE ((t0."name" >= ?1 AND t0."name" < ?2 AND duet_like(t0."name", ?3)) OR (t0."name" >= ?4 AND t0."name" < ?5 AND duet_like(t0."name", ?6)))
  ORDER BY t0."driver_id"
  LIMIT ?7;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
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

-- GET /ords/hr/team_dv/?q={"driver.name":{"$in":["George Russell","Max Verstappen"]},"$orderby":{"points":"DESC"}}
-- level 0: team
--   1: "George Russell"
--   2: "Max Verstappen"
--   3: 26
SELECT t0."team_id", t0."name", t0."points", NULL
  FROM "main"."team" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."driver" AS t1
    WHERE t1."team_id" = t0."team_id" AND t1."name" IN (?1, ?2))
  ORDER BY t0."points" DESC, t0."team_id"
  LIMIT ?3;

-- level 1: driver
--   1: part 1 of the keys that level 0 has brought
SELECT t1."team_id", t1."driver_id", t1."name", t1."points"
  FROM "main"."driver" AS t1
  WHERE t1."team_id" = ?1
  ORDER BY t1."driver_id";

-- GET /ords/hr/driver_dv/101
-- level 0: driver
--   1: 101 (part 1 of the key)
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t0."driver_id" = ?1;

-- level 1: driver_race_map
--   1: 101 (part 1 of the key)
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/driver_dv/?q={"team":{"$null":null},"$orderby":{"name":"ASC"}}
-- level 0: driver
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE t1."name" IS NULL
  ORDER BY t0."name", t0."driver_id"
  LIMIT 26;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

-- GET /ords/hr/driver_dv/?q={"$orderby":{"team":"ASC"}}&after=&limit=4
-- level 0: driver
--   1: 5
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE TRUE
  ORDER BY t1."name" NULLS LAST, t0."driver_id"
  LIMIT ?1;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";

-- GET the next page
-- level 0: driver
--   1: "Mercedes"
--   2: "Mercedes"
--   3: 106
--   4: 5
SELECT t0."driver_id", t0."name", t0."points", t1."team_id", t1."name", NULL
  FROM "main"."driver" AS t0
  LEFT JOIN "main"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE TRUE AND (((t1."name" > ?1 OR t1."name" IS NULL)) OR ((t1."name" = ?2) AND (t0."driver_id" > ?3)))
  ORDER BY t1."name" NULLS LAST, t0."driver_id"
  LIMIT ?4;

-- level 1: driver_race_map
--   1: part 1 of the keys that level 0 has brought
SELECT t2."driver_id", t2."driver_race_map_id", t3."race_id", t3."name", t2."position"
  FROM "main"."driver_race_map" AS t2
  LEFT JOIN "main"."race" AS t3 ON t3."race_id" = t2."race_id"
  WHERE t2."driver_id" = ?1
  ORDER BY t2."driver_race_map_id";
