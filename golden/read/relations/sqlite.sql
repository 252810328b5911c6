-- GET /t/named/
-- level 0: named
SELECT t0."id", t0."name"
  FROM "main"."named" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/named/2
-- level 0: named
--   1: 2 (part 1 of the key)
SELECT t0."id", t0."name"
  FROM "main"."named" AS t0
  WHERE t0."id" = ?1;

-- GET /t/named/9
-- level 0: named
--   1: 9 (part 1 of the key)
SELECT t0."id", t0."name"
  FROM "main"."named" AS t0
  WHERE t0."id" = ?1;

-- GET /t/listed/
-- level 0: listed
SELECT t0."name", t0."points"
  FROM "main"."listed" AS t0
  WHERE TRUE
  ORDER BY t0."name" NULLS LAST, t0."points" NULLS LAST
  LIMIT 26;

-- GET /t/listed/?q={"points":{"$gte":20},"$orderby":{"points":-1}}
-- level 0: listed
--   1: 20
--   2: 26
SELECT t0."name", t0."points"
  FROM "main"."listed" AS t0
  WHERE t0."points" >= ?1
  ORDER BY t0."points" DESC NULLS LAST, t0."name" NULLS LAST
  LIMIT ?2;

-- GET /t/by_two/
-- level 0: by_two
SELECT t0."name", t0."points", t0."id"
  FROM "main"."by_two" AS t0
  WHERE TRUE
  ORDER BY t0."name", t0."points"
  LIMIT 26;

-- GET /t/by_two/b,20
-- level 0: by_two
--   1: "b" (part 1 of the key)
--   2: 20 (part 2 of the key)
SELECT 1, t0."name", t0."points", t0."id"
  FROM "main"."by_two" AS t0
  WHERE t0."name" = ?1 AND t0."points" = ?2;

-- GET /t/by_two/b,10
-- level 0: by_two
--   1: "b" (part 1 of the key)
--   2: 10 (part 2 of the key)
SELECT 1, t0."name", t0."points", t0."id"
  FROM "main"."by_two" AS t0
  WHERE t0."name" = ?1 AND t0."points" = ?2;

-- GET /t/by_two/?after=&limit=2
-- level 0: by_two
SELECT t0."name", t0."points", t0."id"
  FROM "main"."by_two" AS t0
  WHERE TRUE
  ORDER BY t0."name", t0."points"
  LIMIT 3;

-- GET the next page
-- level 0: by_two
--   1: "b"
--   2: 20
SELECT t0."name", t0."points", t0."id"
  FROM "main"."by_two" AS t0
  WHERE TRUE AND (t0."name", t0."points") > (?1, ?2)
  ORDER BY t0."name", t0."points"
  LIMIT 3;

-- GET /t/log/
-- level 0: log
SELECT t0."at", t0."line"
  FROM "main"."log" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."at") NULLS LAST, t0."line" NULLS LAST
  LIMIT 26;
