-- GET /ords/hr/driver_dv/?fields=_id&q={"$or":[{"name":{"$like":"George%"}},{"name":{"$like":"Charles%"}}]}
-- level 0: driver
--   1: "George"
--   2: "Georgf"
--   3: "George%"
--   4: "Charles"
--   5: "Charlet"
--   6: "Charles%"
--   7: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE ((t0."name" >= $1::text AND t0."name" < $2::text AND (t0."name")::text LIKE $3::text) OR (t0."name" >= $4::text AND t0."name" < $5::text AND (t0."name")::text LIKE $6::text))
  ORDER BY t0."driver_id"
  LIMIT $7::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"team":{"$eq":"Ferrari"},"points":{"$gt":18}}
-- level 0: driver
--   1: "Ferrari"
--   2: 18
--   3: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (t1."name" = $1::text AND t0."points" > $2::int8)
  ORDER BY t0."driver_id"
  LIMIT $3::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"teamId":{"$in":[2,null]}}
-- level 0: driver
--   1: 2
--   2: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (t1."team_id" IN ($1::int8) OR t1."team_id" IS NULL)
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"teamId":{"$nin":[2]}}
-- level 0: driver
--   1: 2
--   2: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (NOT t1."team_id" IN ($1::int8))
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"race.finalPosition":{"$null":null}}
-- level 0: driver
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."driver_race_map" AS t2
    WHERE t2."driver_id" = t0."driver_id" AND t2."position" IS NULL)
  ORDER BY t0."driver_id"
  LIMIT 26;

-- GET /ords/hr/driver_dv/?fields=_id&q={"race.finalPosition":{"$notnull":null}}
-- level 0: driver
--   1: -9223372036854775808
--   2: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."driver_race_map" AS t2
    WHERE t2."driver_id" = t0."driver_id" AND t2."position" >= $1::int8)
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"race.raceId":{"$exists":false}}
-- level 0: driver
--   1: -9223372036854775808
--   2: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE (NOT EXISTS (SELECT 1
      FROM "public"."driver_race_map" AS t2
      JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
      WHERE t2."driver_id" = t0."driver_id" AND t3."race_id" >= $1::int8))
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"race.name":{"$not":{"$like":"Bah%"}}}
-- level 0: driver
--   1: "Bah"
--   2: "Bai"
--   3: "Bah%"
--   4: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE (NOT EXISTS (SELECT 1
      FROM "public"."driver_race_map" AS t2
      JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
      WHERE t2."driver_id" = t0."driver_id" AND (t3."name" >= $1::text AND t3."name" < $2::text AND (t3."name")::text LIKE $3::text)))
  ORDER BY t0."driver_id"
  LIMIT $4::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"race.finalPosition":{"$between":[2,null]}}
-- level 0: driver
--   1: 2
--   2: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."driver_race_map" AS t2
    WHERE t2."driver_id" = t0."driver_id" AND (t2."position" >= $1::int8))
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"$and":[{"race.raceId":201},{"race.finalPosition":{"$lte":2}}],"$orderby":{"team":"DESC","name":"ASC"}}
-- level 0: driver
--   1: 201
--   2: 2
--   3: 26
SELECT t0."driver_id", t1."name", t0."name"
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (EXISTS (SELECT 1
      FROM "public"."driver_race_map" AS t2
      JOIN "public"."race" AS t3 ON t3."race_id" = t2."race_id"
      WHERE t2."driver_id" = t0."driver_id" AND t3."race_id" = $1::int8) AND EXISTS (SELECT 1
      FROM "public"."driver_race_map" AS t2
      WHERE t2."driver_id" = t0."driver_id" AND t2."position" <= $2::int8))
  ORDER BY t1."name" DESC NULLS LAST, t0."name", t0."driver_id"
  LIMIT $3::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"$nor":[{"team":"Ferrari"},{"team":"Mercedes"}]}
-- level 0: driver
--   1: "Ferrari"
--   2: "Mercedes"
--   3: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (NOT (t1."name" = $1::text OR t1."name" = $2::text))
  ORDER BY t0."driver_id"
  LIMIT $3::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"$not":{"team":"Ferrari"}}
-- level 0: driver
--   1: "Ferrari"
--   2: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  LEFT JOIN "public"."team" AS t1 ON t1."team_id" = t0."team_id"
  WHERE (NOT t1."name" = $1::text)
  ORDER BY t0."driver_id"
  LIMIT $2::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"points":[{"$gte":10},{"$lt":20}]}
-- level 0: driver
--   1: 10
--   2: 20
--   3: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE (t0."points" >= $1::int8 AND t0."points" < $2::int8)
  ORDER BY t0."driver_id"
  LIMIT $3::int8;

-- GET /ords/hr/driver_dv/?fields=_id&q={"points":{"$or":[{"$gt":20},{"name":{"$like":"S%"}}]}}
-- level 0: driver
--   1: 20
--   2: "S"
--   3: "T"
--   4: "S%"
--   5: 26
SELECT t0."driver_id"
  FROM "public"."driver" AS t0
  WHERE (t0."points" > $1::int8 OR (t0."name" >= $2::text AND t0."name" < $3::text AND (t0."name")::text LIKE $4::text))
  ORDER BY t0."driver_id"
  LIMIT $5::int8;

-- GET /ords/hr/race_dv/?fields=_id&q={"date":{"$date":"2022-03-27T00:00:00Z"}}
-- level 0: race
--   1: "2022-03-27T00:00:00"
--   2: 26
SELECT t0."race_id"
  FROM "public"."race" AS t0
  WHERE t0."race_date" = $1::timestamp
  ORDER BY t0."race_id"
  LIMIT $2::int8;

-- GET /ords/hr/race_dv/?fields=_id&q={"date":{"$lt":"2022-03-27"},"laps":{"$between":[50,57]}}
-- level 0: race
--   1: "2022-03-27T00:00:00"
--   2: 50
--   3: 57
--   4: 26
SELECT t0."race_id"
  FROM "public"."race" AS t0
  WHERE (t0."race_date" < $1::timestamp AND (t0."laps" >= $2::int8 AND t0."laps" <= $3::int8))
  ORDER BY t0."race_id"
  LIMIT $4::int8;

-- GET /ords/hr/race_dv/?fields=_id&q={"podium":{"$notnull":null}}
-- level 0: race
SELECT t0."race_id"
  FROM "public"."race" AS t0
  WHERE (NOT t0."podium" IS NULL)
  ORDER BY t0."race_id"
  LIMIT 26;

-- GET /ords/hr/race_dv/?fields=_id&q={"result.name":{"$ilike":"%HAMILTON"}}
-- level 0: race
--   1: "%HAMILTON"
--   2: 26
SELECT t0."race_id"
  FROM "public"."race" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."driver_race_map" AS t1
    JOIN "public"."driver" AS t2 ON t2."driver_id" = t1."driver_id"
    WHERE t1."race_id" = t0."race_id" AND lower((t2."name")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu"))
  ORDER BY t0."race_id"
  LIMIT $2::int8;

-- GET /ords/hr/team_dv/?fields=_id&q={"driver.points":{"$gte":25}}
-- level 0: team
--   1: 25
--   2: 26
SELECT t0."team_id"
  FROM "public"."team" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."driver" AS t1
    WHERE t1."team_id" = t0."team_id" AND t1."points" >= $1::int8)
  ORDER BY t0."team_id"
  LIMIT $2::int8;

-- GET /ords/hr/team_dv/?fields=_id&q={"$orderby":[{"points":"desc"},{"name":1}]}
-- level 0: team
SELECT t0."team_id", t0."points", t0."name"
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."points" DESC, t0."name", t0."team_id"
  LIMIT 26;

-- GET /ords/hr/team/?fields=name&q={"TEAM_ID":{"$gt":2}}
-- level 0: team
--   1: 2
--   2: 26
SELECT t0."name", t0."team_id"
  FROM "public"."team" AS t0
  WHERE t0."team_id" > $1::int8
  ORDER BY t0."team_id"
  LIMIT $2::int8;

-- GET /ords/hr/team/?fields=name&q={}
-- level 0: team
SELECT t0."name", t0."team_id"
  FROM "public"."team" AS t0
  WHERE TRUE
  ORDER BY t0."team_id"
  LIMIT 26;

-- GET /ords/hr/team/?fields=name&q={"team_id":{"$in":[]}}
-- level 0: team
SELECT t0."name", t0."team_id"
  FROM "public"."team" AS t0
  WHERE FALSE
  ORDER BY t0."team_id"
  LIMIT 26;
