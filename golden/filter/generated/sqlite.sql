-- GET /t/thing_dv/?fields=_id,total&q={"total":0.3}
-- level 0: thing
--   1: "0.3"
--   2: 26
SELECT t0."id", duet_multiply_decimal(t0."price", t0."amount")
  FROM "main"."thing" AS t0
  WHERE duet_multiply_decimal(t0."price", t0."amount") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/thing_dv/?fields=_id,total&q={"total":{"$between":[1,"10.00"]},"$orderby":{"total":"DESC"}}
-- level 0: thing
--   1: "1"
--   2: "10"
--   3: 26
SELECT t0."id", duet_multiply_decimal(t0."price", t0."amount")
  FROM "main"."thing" AS t0
  WHERE (duet_multiply_decimal(t0."price", t0."amount") >= ?1 AND duet_multiply_decimal(t0."price", t0."amount") <= ?2)
  ORDER BY duet_multiply_decimal(t0."price", t0."amount") DESC NULLS LAST, t0."id"
  LIMIT ?3;

-- GET /t/thing_dv/?fields=_id,label&q={"label":{"$startsWith":"BOLT"}}
-- level 0: thing
--   1: "-"
--   2: "-"
--   3: "BOLT%"
--   4: 26
SELECT t0."id", ((duet_upper(t0."name") || ?1) || t0."amount")
  FROM "main"."thing" AS t0
  WHERE duet_like(((duet_upper(t0."name") || ?2) || t0."amount"), ?3)
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/thing_dv/?fields=_id,label&q={"label":{"$regex":"^[A-M].*[37]$"}}
-- level 0: thing
--   1: "-"
--   2: "-"
--   3: "^[A-M].*[37]$"
--   4: 26
SELECT t0."id", ((duet_upper(t0."name") || ?1) || t0."amount")
  FROM "main"."thing" AS t0
  WHERE duet_regex(((duet_upper(t0."name") || ?2) || t0."amount"), ?3)
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/thing_dv/?fields=_id,dear&q={"dear":true}
-- level 0: thing
--   1: true
--   2: 26
SELECT t0."id", (t0."price" > 1)
  FROM "main"."thing" AS t0
  WHERE (t0."price" > 1) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/thing_dv/?fields=_id,dear&q={"dear":{"$null":null}}
-- level 0: thing
SELECT t0."id", (t0."price" > 1)
  FROM "main"."thing" AS t0
  WHERE (t0."price" > 1) IS NULL
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/thing_dv/?fields=_id,since&q={"since":{"$lt":"2022-01-01"},"$orderby":{"since":1}}
-- level 0: thing
--   1: "2020-01-01"
--   2: "2020-01-01"
--   3: "2022-01-01"
--   4: "2020-01-01"
--   5: 26
SELECT t0."id", coalesce(t0."made", ?1)
  FROM "main"."thing" AS t0
  WHERE coalesce(t0."made", ?2) < ?3
  ORDER BY coalesce(t0."made", ?4) NULLS LAST, t0."id"
  LIMIT ?5;

-- GET /t/thing_dv/?fields=_id&q={"cost":{"$in":[0.1,10]}}
-- level 0: thing
--   1: "0.1"
--   2: "10"
--   3: 26
SELECT t0."id"
  FROM "main"."thing" AS t0
  WHERE t0."price" IN (?1, ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/thing_dv/?fields=_id&q={"info.a.b":{"$gt":0},"$orderby":{"info.a.b":1}}
-- level 0: thing
--   1: "[\"gt\",[\"a\",\"b\"],0]"
--   2: "[\"exists\",[\"a\",\"b\"]]"
--   3: 26
SELECT t0."id"
  FROM "main"."thing" AS t0
  WHERE (duet_json(t0."extra", ?1))
  ORDER BY duet_json_order(t0."extra", ?2) NULLS LAST, t0."id"
  LIMIT ?3;

-- GET /t/thing_dv/?fields=_id&q={"maker.tag":"Best/?"}
-- level 0: thing
--   1: "/"
--   2: "?"
--   3: "Best/?"
--   4: 26
SELECT t0."id"
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."id" = t0."maker_id"
  WHERE ((t1."name" || ?1) || coalesce(t1."country", ?2)) = ?3
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/thing_dv/?fields=_id,maker.tag&q={"$orderby":{"maker.tag":-1,"total":1}}
-- level 0: thing
--   1: "/"
--   2: "?"
--   3: "/"
--   4: "?"
--   5: 26
SELECT t0."id", t1."id", ((t1."name" || ?1) || coalesce(t1."country", ?2)), duet_multiply_decimal(t0."price", t0."amount")
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."id" = t0."maker_id"
  WHERE TRUE
  ORDER BY ((t1."name" || ?3) || coalesce(t1."country", ?4)) DESC NULLS LAST, duet_multiply_decimal(t0."price", t0."amount") NULLS LAST, t0."id"
  LIMIT ?5;

-- GET /t/thing_dv/?fields=_id&q={"parts.code":"a2"}
-- level 0: thing
--   1: "a2"
--   2: 26
SELECT t0."id"
  FROM "main"."thing" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."part" AS t2
    WHERE t2."thing_id" = t0."id" AND (t2."name" || t2."number") = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/thing_dv/?fields=_id&q={"parts.code":{"$not":{"$like":"a%"}}}
-- level 0: thing
--   1: "a%"
--   2: 26
SELECT t0."id"
  FROM "main"."thing" AS t0
  WHERE (NOT EXISTS (SELECT 1
      FROM "main"."part" AS t2
      WHERE t2."thing_id" = t0."id" AND duet_like((t2."name" || t2."number"), ?1)))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/thing_dv/?fields=_id,total&after=&limit=2&q={"$orderby":{"total":1}}
-- level 0: thing
SELECT t0."id", duet_multiply_decimal(t0."price", t0."amount")
  FROM "main"."thing" AS t0
  WHERE TRUE
  ORDER BY duet_multiply_decimal(t0."price", t0."amount") NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: thing
--   1: "10"
--   2: "10"
--   3: 2
SELECT t0."id", duet_multiply_decimal(t0."price", t0."amount")
  FROM "main"."thing" AS t0
  WHERE TRUE AND (((duet_multiply_decimal(t0."price", t0."amount") > ?1 OR duet_multiply_decimal(t0."price", t0."amount") IS NULL)) OR ((duet_multiply_decimal(t0."price", t0."amount") = ?2) AND (t0."id" > ?3)))
  ORDER BY duet_multiply_decimal(t0."price", t0."amount") NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/thing_dv/?fields=_id&count=exact&q={"total":{"$gt":1}}
-- level 0: thing
--   1: "1"
--   2: 26
SELECT t0."id"
  FROM "main"."thing" AS t0
  WHERE duet_multiply_decimal(t0."price", t0."amount") > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "1"
SELECT count(*)
  FROM "main"."thing" AS t0
  WHERE duet_multiply_decimal(t0."price", t0."amount") > ?1;
