-- GET /t/thing_dv/?fields=_id,total&q={"total":0.3}
-- level 0: thing
--   1: "0.3"
--   2: 26
SELECT t0."id", trim_scale((t0."price" * t0."amount"))
  FROM "public"."thing" AS t0
  WHERE trim_scale((t0."price" * t0."amount")) = $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/thing_dv/?fields=_id,total&q={"total":{"$between":[1,"10.00"]},"$orderby":{"total":"DESC"}}
-- level 0: thing
--   1: "1"
--   2: "10"
--   3: 26
SELECT t0."id", trim_scale((t0."price" * t0."amount"))
  FROM "public"."thing" AS t0
  WHERE (trim_scale((t0."price" * t0."amount")) >= $1::numeric AND trim_scale((t0."price" * t0."amount")) <= $2::numeric)
  ORDER BY trim_scale((t0."price" * t0."amount")) DESC NULLS LAST, t0."id"
  LIMIT $3::int8;

-- GET /t/thing_dv/?fields=_id,label&q={"label":{"$startsWith":"BOLT"}}
-- level 0: thing
--   1: "-"
--   2: "-"
--   3: "BOLT%"
--   4: 26
SELECT t0."id", (((((((upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C"))::text || ($1::text)::text) COLLATE "C"))::text || (t0."amount")::text) COLLATE "C")
  FROM "public"."thing" AS t0
  WHERE ((((((((upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."amount")::text) COLLATE "C"))::text LIKE $3::text
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/thing_dv/?fields=_id,label&q={"label":{"$regex":"^[A-M].*[37]$"}}
-- level 0: thing
--   1: "-"
--   2: "-"
--   3: "^[A-M].*[37]$"
--   4: 26
SELECT t0."id", (((((((upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C"))::text || ($1::text)::text) COLLATE "C"))::text || (t0."amount")::text) COLLATE "C")
  FROM "public"."thing" AS t0
  WHERE ((((((((upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."amount")::text) COLLATE "C"))::text ~ $3::text
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/thing_dv/?fields=_id,dear&q={"dear":true}
-- level 0: thing
--   1: true
--   2: 26
SELECT t0."id", (t0."price" > 1)
  FROM "public"."thing" AS t0
  WHERE (t0."price" > 1) = $1::boolean
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/thing_dv/?fields=_id,dear&q={"dear":{"$null":null}}
-- level 0: thing
SELECT t0."id", (t0."price" > 1)
  FROM "public"."thing" AS t0
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
SELECT t0."id", coalesce(t0."made", $1::date)
  FROM "public"."thing" AS t0
  WHERE coalesce(t0."made", $2::date) < $3::date
  ORDER BY coalesce(t0."made", $4::date) NULLS LAST, t0."id"
  LIMIT $5::int8;

-- GET /t/thing_dv/?fields=_id&q={"cost":{"$in":[0.1,10]}}
-- level 0: thing
--   1: "0.1"
--   2: "10"
--   3: 26
SELECT t0."id"
  FROM "public"."thing" AS t0
  WHERE t0."price" IN ($1::numeric, $2::numeric)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/thing_dv/?fields=_id&q={"info.a.b":{"$gt":0},"$orderby":{"info.a.b":1}}
-- level 0: thing
--   1: "lax $.\"a\".\"b\" ? ((@.type() == \"number\" && @ > 0))"
--   2: "strict $.\"a\".\"b\""
--   3: 26
SELECT t0."id"
  FROM "public"."thing" AS t0
  WHERE ((t0."extra")::jsonb @? $1::text::jsonpath)
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."extra")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."extra")::jsonb, $2::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extra")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."extra")::jsonb, $2::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extra")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."extra")::jsonb, $2::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END NULLS LAST, t0."id"
  LIMIT $3::int8;

-- GET /t/thing_dv/?fields=_id&q={"maker.tag":"Best/?"}
-- level 0: thing
--   1: "/"
--   2: "?"
--   3: "Best/?"
--   4: 26
SELECT t0."id"
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."id" = t0."maker_id"
  WHERE ((((((t1."name")::text || ($1::text)::text) COLLATE "C"))::text || (coalesce(t1."country", $2::text))::text) COLLATE "C") = $3::text
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/thing_dv/?fields=_id,maker.tag&q={"$orderby":{"maker.tag":-1,"total":1}}
-- level 0: thing
--   1: "/"
--   2: "?"
--   3: "/"
--   4: "?"
--   5: 26
SELECT t0."id", t1."id", ((((((t1."name")::text || ($1::text)::text) COLLATE "C"))::text || (coalesce(t1."country", $2::text))::text) COLLATE "C"), trim_scale((t0."price" * t0."amount"))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."id" = t0."maker_id"
  WHERE TRUE
  ORDER BY ((((((t1."name")::text || ($3::text)::text) COLLATE "C"))::text || (coalesce(t1."country", $4::text))::text) COLLATE "C") DESC NULLS LAST, trim_scale((t0."price" * t0."amount")) NULLS LAST, t0."id"
  LIMIT $5::int8;

-- GET /t/thing_dv/?fields=_id&q={"parts.code":"a2"}
-- level 0: thing
--   1: "a2"
--   2: 26
SELECT t0."id"
  FROM "public"."thing" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."part" AS t2
    WHERE t2."thing_id" = t0."id" AND (((t2."name")::text || (t2."number")::text) COLLATE "C") = $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/thing_dv/?fields=_id&q={"parts.code":{"$not":{"$like":"a%"}}}
-- level 0: thing
--   1: "a%"
--   2: 26
SELECT t0."id"
  FROM "public"."thing" AS t0
  WHERE (NOT EXISTS (SELECT 1
      FROM "public"."part" AS t2
      WHERE t2."thing_id" = t0."id" AND ((((t2."name")::text || (t2."number")::text) COLLATE "C"))::text LIKE $1::text))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/thing_dv/?fields=_id,total&after=&limit=2&q={"$orderby":{"total":1}}
-- level 0: thing
SELECT t0."id", trim_scale((t0."price" * t0."amount"))
  FROM "public"."thing" AS t0
  WHERE TRUE
  ORDER BY trim_scale((t0."price" * t0."amount")) NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: thing
--   1: "10"
--   2: "10"
--   3: 2
SELECT t0."id", trim_scale((t0."price" * t0."amount"))
  FROM "public"."thing" AS t0
  WHERE TRUE AND (((trim_scale((t0."price" * t0."amount")) > $1::numeric OR trim_scale((t0."price" * t0."amount")) IS NULL)) OR ((trim_scale((t0."price" * t0."amount")) = $2::numeric) AND (t0."id" > $3::int8)))
  ORDER BY trim_scale((t0."price" * t0."amount")) NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/thing_dv/?fields=_id&count=exact&q={"total":{"$gt":1}}
-- level 0: thing
--   1: "1"
--   2: 26
SELECT t0."id"
  FROM "public"."thing" AS t0
  WHERE trim_scale((t0."price" * t0."amount")) > $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "1"
SELECT count(*)
  FROM "public"."thing" AS t0
  WHERE trim_scale((t0."price" * t0."amount")) > $1::numeric;
