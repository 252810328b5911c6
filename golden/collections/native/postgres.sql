-- rec status==Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text;

-- rec status=zzz or title=*
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE TRUE;

-- rec title=* or status=closed
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE TRUE;

-- rec title=*
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE TRUE;

-- rec title=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL);

-- rec contributors.name=="Creator B"
-- level 0: rec
--   1: "lax $.\"contributors\".\"name\" ? ((@.type() == \"string\" && @ == \"Creator B\"))"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "lax $.\"contributors\".\"name\" ? ((@.type() == \"string\" && @ == \"Creator B\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"contributors\".\"name\" ? ((@.type() == \"string\" && @ == \"Creator B\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath);

-- rec contributors.name==creator*
-- level 0: rec
--   1: "lax $.\"contributors\".\"name\" ? (@.type() == \"string\" && @ like_regex \"^creator.*$\" flag \"s\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "lax $.\"contributors\".\"name\" ? (@.type() == \"string\" && @ like_regex \"^creator.*$\" flag \"s\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"contributors\".\"name\" ? (@.type() == \"string\" && @ like_regex \"^creator.*$\" flag \"s\")"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath);

-- rec tags==gift
-- level 0: rec
--   1: "lax $.\"tags\" ? ((@.type() == \"string\" && @ == \"gift\"))"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "lax $.\"tags\" ? ((@.type() == \"string\" && @ == \"gift\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"tags\" ? ((@.type() == \"string\" && @ == \"gift\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath);

-- rec tags any "gift urgent"
-- level 0: rec
--   1: "lax $.\"tags\" ? (((@.type() == \"string\" && @ == \"gift\") || (@.type() == \"string\" && @ == \"urgent\")))"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "lax $.\"tags\" ? (((@.type() == \"string\" && @ == \"gift\") || (@.type() == \"string\" && @ == \"urgent\")))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"tags\" ? (((@.type() == \"string\" && @ == \"gift\") || (@.type() == \"string\" && @ == \"urgent\")))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath);

-- rec quantity==4
-- level 0: rec
--   1: "4"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric;

-- rec quantity < 9
-- level 0: rec
--   1: "9"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) < $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) < $1::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "9"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) < $1::numeric;

-- rec quantity within "4 10"
-- level 0: rec
--   1: "4"
--   2: "10"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) >= $1::numeric AND (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) <= $2::numeric)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "4"
--   2: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) >= $1::numeric AND (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) <= $2::numeric)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "10"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) >= $1::numeric AND (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) <= $2::numeric);

-- rec quantity any "4 10"
-- level 0: rec
--   1: "4"
--   2: "10"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) IN ($1::numeric, $2::numeric)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "4"
--   2: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) IN ($1::numeric, $2::numeric)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "10"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) IN ($1::numeric, $2::numeric);

-- rec price==10
-- level 0: rec
--   1: "lax $.\"price\" ? (((@.type() == \"string\" && @ == \"10\") || (@.type() == \"number\" && @ == 10)))"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "lax $.\"price\" ? (((@.type() == \"string\" && @ == \"10\") || (@.type() == \"number\" && @ == 10)))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"price\" ? (((@.type() == \"string\" && @ == \"10\") || (@.type() == \"number\" && @ == 10)))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath);

-- rec price ==/number 10
-- level 0: rec
--   1: "lax $.\"price\" ? ((@.type() == \"number\" && @ == 10))"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "lax $.\"price\" ? ((@.type() == \"number\" && @ == 10))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"price\" ? ((@.type() == \"number\" && @ == 10))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb")::jsonb @? $1::text::jsonpath);

-- rec price < 9
-- level 0: rec
--   1: "lax $.\"price\" ? ((@.type() == \"string\" && @ < \"9\"))"
--   2: "lax $.\"price\" ? ((@.type() == \"number\" && @ < 9))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) OR ((t0."jsonb")::jsonb @? $2::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"price\" ? ((@.type() == \"string\" && @ < \"9\"))"
--   2: "lax $.\"price\" ? ((@.type() == \"number\" && @ < 9))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) OR ((t0."jsonb")::jsonb @? $2::text::jsonpath))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"price\" ? ((@.type() == \"string\" && @ < \"9\"))"
--   2: "lax $.\"price\" ? ((@.type() == \"number\" && @ < 9))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) OR ((t0."jsonb")::jsonb @? $2::text::jsonpath));

-- rec price within "5 20"
-- level 0: rec
--   1: "lax $.\"price\" ? ((@.type() == \"string\" && @ >= \"5\") && (@.type() == \"string\" && @ <= \"20\"))"
--   2: "lax $.\"price\" ? ((@.type() == \"number\" && @ >= 5) && (@.type() == \"number\" && @ <= 20))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) OR ((t0."jsonb")::jsonb @? $2::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"price\" ? ((@.type() == \"string\" && @ >= \"5\") && (@.type() == \"string\" && @ <= \"20\"))"
--   2: "lax $.\"price\" ? ((@.type() == \"number\" && @ >= 5) && (@.type() == \"number\" && @ <= 20))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) OR ((t0."jsonb")::jsonb @? $2::text::jsonpath))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"price\" ? ((@.type() == \"string\" && @ >= \"5\") && (@.type() == \"string\" && @ <= \"20\"))"
--   2: "lax $.\"price\" ? ((@.type() == \"number\" && @ >= 5) && (@.type() == \"number\" && @ <= 20))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) OR ((t0."jsonb")::jsonb @? $2::text::jsonpath));

-- rec rush==true
-- level 0: rec
--   1: true
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE t0."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: true
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE t0."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean
    LIMIT 10001) AS n;

-- estimate
--   1: true
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE t0."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean;

-- rec level==HIGH
-- level 0: rec
--   1: "High"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "High"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") = $1::text;

-- rec level=low
-- level 0: rec
--   1: "low"
--   2: "very low"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "low"
--   2: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "low"
--   2: "very low"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text);

-- rec level<low
-- level 0: rec
--   1: "High"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "High"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") = $1::text;

-- parents rec.level=""
-- level 0: parents
--   1: "High"
--   2: "low"
--   3: "very low"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text, $3::text))
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "High"
--   2: "low"
--   3: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text, $3::text))
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
--   2: "low"
--   3: "very low"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text, $3::text));

-- parents cql.allRecords=1 not rec.level=""
-- level 0: parents
--   1: "High"
--   2: "low"
--   3: "very low"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "public"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text, $3::text))) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "High"
--   2: "low"
--   3: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE ((EXISTS (SELECT 1
          FROM "public"."rec" AS t1
          WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text, $3::text))) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
--   2: "low"
--   3: "very low"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "public"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text, $3::text))) IS NOT TRUE);

-- rec level="" sortBy level
-- level 0: rec
SELECT t0."jsonb", t0."id", ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C")::text
  FROM "public"."rec" AS t0
  WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IS NULL)
  ORDER BY ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IS NULL)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IS NULL);

-- rec title==/unmasked C*algebra
-- level 0: rec
--   1: "c*algebra"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "c*algebra"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "c*algebra"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text;

-- rec code==/unmasked a*b?c
-- level 0: rec
--   1: "a*b?c"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "a*b?c"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "a*b?c"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec title==/substring YAK
-- level 0: rec
--   1: "yak"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE strpos((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text, $1::text) > 0
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "yak"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE strpos((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text, $1::text) > 0
    LIMIT 10001) AS n;

-- estimate
--   1: "yak"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE strpos((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text, $1::text) > 0;

-- rec title==/regexp "^[Cf].*a"
-- level 0: rec
--   1: "^[Cf].*a"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))::text ~ $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "^[Cf].*a"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))::text ~ $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "^[Cf].*a"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))::text ~ $1::text;

-- rec status =/string open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text;

-- rec status ==/respectCase Open
-- level 0: rec
--   1: "Open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "Open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "Open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text;

-- rec address.city ==/respectAccents sovang
-- level 0: rec
--   1: "sovang"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold_case(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "sovang"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold_case(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "sovang"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold_case(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")) = $1::text;

-- rec ordered within "2019-06-01 2019-07-01"
-- level 0: rec
--   1: "2019-06-01"
--   2: "2019-07-01"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) <= $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "2019-06-01"
--   2: "2019-07-01"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) <= $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "2019-06-01"
--   2: "2019-07-01"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) <= $2::text);

-- rec status within "closed open"
-- level 0: rec
--   1: "closed"
--   2: "open"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) <= $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "closed"
--   2: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) <= $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "closed"
--   2: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) <= $2::text);

-- rec due ==/isoDate "2024-02-29T12:00:00+02:00"
-- level 0: rec
--   1: "2024-02-29T12:00:00+02:00"
--   2: "2024-02-29T12:00:00+02:00"
--   3: "2024-02-29T12:00:00+02:00"
--   4: "2024-02-29T12:00:00+02:00"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") = (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "2024-02-29T12:00:00+02:00"
--   2: "2024-02-29T12:00:00+02:00"
--   3: "2024-02-29T12:00:00+02:00"
--   4: "2024-02-29T12:00:00+02:00"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") = (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29T12:00:00+02:00"
--   2: "2024-02-29T12:00:00+02:00"
--   3: "2024-02-29T12:00:00+02:00"
--   4: "2024-02-29T12:00:00+02:00"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") = (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec due >=/isoDate 2024-02-29
-- level 0: rec
--   1: "2024-02-29"
--   2: "2024-02-29"
--   3: "2024-02-29"
--   4: "2024-02-29"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "2024-02-29"
--   2: "2024-02-29"
--   3: "2024-02-29"
--   4: "2024-02-29"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29"
--   2: "2024-02-29"
--   3: "2024-02-29"
--   4: "2024-02-29"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec due </isoDate "2024-02-29T10:00:00.001Z"
-- level 0: rec
--   1: "2024-02-29T10:00:00.001Z"
--   2: "2024-02-29T10:00:00.001Z"
--   3: "2024-02-29T10:00:00.001Z"
--   4: "2024-02-29T10:00:00.001Z"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") < (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "2024-02-29T10:00:00.001Z"
--   2: "2024-02-29T10:00:00.001Z"
--   3: "2024-02-29T10:00:00.001Z"
--   4: "2024-02-29T10:00:00.001Z"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") < (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29T10:00:00.001Z"
--   2: "2024-02-29T10:00:00.001Z"
--   3: "2024-02-29T10:00:00.001Z"
--   4: "2024-02-29T10:00:00.001Z"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") < (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec due within/isoDate "2024-01-01 2024-12-31"
-- level 0: rec
--   1: "2024-01-01"
--   2: "2024-01-01"
--   3: "2024-01-01"
--   4: "2024-01-01"
--   5: "2024-12-31"
--   6: "2024-12-31"
--   7: "2024-12-31"
--   8: "2024-12-31"
--   9: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") AND (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <= (CASE WHEN ($5::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($6::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($7::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($8::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C"))
  ORDER BY t0."id"
  LIMIT $9::int8;

-- total
--   1: "2024-01-01"
--   2: "2024-01-01"
--   3: "2024-01-01"
--   4: "2024-01-01"
--   5: "2024-12-31"
--   6: "2024-12-31"
--   7: "2024-12-31"
--   8: "2024-12-31"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") AND (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <= (CASE WHEN ($5::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($6::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($7::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($8::text)
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C"))
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-01-01"
--   2: "2024-01-01"
--   3: "2024-01-01"
--   4: "2024-01-01"
--   5: "2024-12-31"
--   6: "2024-12-31"
--   7: "2024-12-31"
--   8: "2024-12-31"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") AND (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <= (CASE WHEN ($5::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($6::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($7::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($8::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C"));

-- rec due <>/isoDate 2024-02-29
-- level 0: rec
--   1: "2024-02-29"
--   2: "2024-02-29"
--   3: "2024-02-29"
--   4: "2024-02-29"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <> (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "2024-02-29"
--   2: "2024-02-29"
--   3: "2024-02-29"
--   4: "2024-02-29"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <> (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29"
--   2: "2024-02-29"
--   3: "2024-02-29"
--   4: "2024-02-29"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <> (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec due >/isoDate "2023-12-31T23:59:59.9999999Z" sortBy title
-- level 0: rec
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2023-12-31T23:59:59.9999999Z"
--   3: "2023-12-31T23:59:59.9999999Z"
--   4: "2023-12-31T23:59:59.9999999Z"
--   5: 101
SELECT t0."jsonb", t0."id", fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") > (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT $5::int8;

-- total
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2023-12-31T23:59:59.9999999Z"
--   3: "2023-12-31T23:59:59.9999999Z"
--   4: "2023-12-31T23:59:59.9999999Z"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") > (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2023-12-31T23:59:59.9999999Z"
--   3: "2023-12-31T23:59:59.9999999Z"
--   4: "2023-12-31T23:59:59.9999999Z"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") > (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec due ==/isoDate "2024-01-01T01:59:59.999999999+02:00"
-- level 0: rec
--   1: "2024-01-01T01:59:59.999999999+02:00"
--   2: "2024-01-01T01:59:59.999999999+02:00"
--   3: "2024-01-01T01:59:59.999999999+02:00"
--   4: "2024-01-01T01:59:59.999999999+02:00"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") = (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "2024-01-01T01:59:59.999999999+02:00"
--   2: "2024-01-01T01:59:59.999999999+02:00"
--   3: "2024-01-01T01:59:59.999999999+02:00"
--   4: "2024-01-01T01:59:59.999999999+02:00"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") = (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-01-01T01:59:59.999999999+02:00"
--   2: "2024-01-01T01:59:59.999999999+02:00"
--   3: "2024-01-01T01:59:59.999999999+02:00"
--   4: "2024-01-01T01:59:59.999999999+02:00"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") = (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec due within/isoDate "2023-12-31T23:59:59.9999999Z 2024-01-01"
-- level 0: rec
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2023-12-31T23:59:59.9999999Z"
--   3: "2023-12-31T23:59:59.9999999Z"
--   4: "2023-12-31T23:59:59.9999999Z"
--   5: "2024-01-01"
--   6: "2024-01-01"
--   7: "2024-01-01"
--   8: "2024-01-01"
--   9: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") AND (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <= (CASE WHEN ($5::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($6::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($7::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($8::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C"))
  ORDER BY t0."id"
  LIMIT $9::int8;

-- total
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2023-12-31T23:59:59.9999999Z"
--   3: "2023-12-31T23:59:59.9999999Z"
--   4: "2023-12-31T23:59:59.9999999Z"
--   5: "2024-01-01"
--   6: "2024-01-01"
--   7: "2024-01-01"
--   8: "2024-01-01"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") AND (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <= (CASE WHEN ($5::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($6::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($7::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($8::text)
              FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C"))
    LIMIT 10001) AS n;

-- estimate
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2023-12-31T23:59:59.9999999Z"
--   3: "2023-12-31T23:59:59.9999999Z"
--   4: "2023-12-31T23:59:59.9999999Z"
--   5: "2024-01-01"
--   6: "2024-01-01"
--   7: "2024-01-01"
--   8: "2024-01-01"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") >= (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") AND (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") <= (CASE WHEN ($5::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($6::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($7::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($8::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C"));

-- rec due </isoDate "2024-02-29T10:00:00.000000001Z" sortBy title
-- level 0: rec
--   1: "2024-02-29T10:00:00.000000001Z"
--   2: "2024-02-29T10:00:00.000000001Z"
--   3: "2024-02-29T10:00:00.000000001Z"
--   4: "2024-02-29T10:00:00.000000001Z"
--   5: 101
SELECT t0."jsonb", t0."id", fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") < (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
  ORDER BY fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT $5::int8;

-- total
--   1: "2024-02-29T10:00:00.000000001Z"
--   2: "2024-02-29T10:00:00.000000001Z"
--   3: "2024-02-29T10:00:00.000000001Z"
--   4: "2024-02-29T10:00:00.000000001Z"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") < (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
            FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C")
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29T10:00:00.000000001Z"
--   2: "2024-02-29T10:00:00.000000001Z"
--   3: "2024-02-29T10:00:00.000000001Z"
--   4: "2024-02-29T10:00:00.000000001Z"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN (((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C")) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring((((CASE jsonb_typeof(t0."jsonb" #> '{"due"}') WHEN 'string' THEN t0."jsonb" #>> '{"due"}' END) COLLATE "C"))
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C") < (CASE WHEN ($1::text) ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$' THEN to_char((regexp_replace(($2::text), '(?<=[.][0-9]{6})[0-9]+', '') || CASE WHEN ($3::text) ~ '..........[Tt ].*(Z|z|[-+][0-9:]+)$' THEN '' ELSE ' UTC' END)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || rpad(coalesce(substring(($4::text)
          FROM '[.][0-9]{6}([0-9]{1,3})'), ''), 3, '0') END COLLATE "C");

-- rec contributors.name==creator* prox/unit=element contributors.lang==english
-- level 0: rec
--   1: "lax $.\"name\" ? (@.type() == \"string\" && @ like_regex \"^creator.*$\" flag \"s\")"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"name\" ? (@.type() == \"string\" && @ like_regex \"^creator.*$\" flag \"s\")"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"name\" ? (@.type() == \"string\" && @ like_regex \"^creator.*$\" flag \"s\")"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)));

-- rec contributors.name=="Creator B" prox/unit=element contributors.lang==english
-- level 0: rec
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator B\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator B\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator B\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)));

-- rec contributors.name=="Creator A" prox/unit=element contributors.lang==english
-- level 0: rec
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)));

-- rec contributors.name=="Creator A" and contributors.lang==english
-- level 0: rec
--   1: "lax $.\"contributors\".\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"contributors\".\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) AND ((t0."jsonb")::jsonb @? $2::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"contributors\".\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"contributors\".\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) AND ((t0."jsonb")::jsonb @? $2::text::jsonpath))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"contributors\".\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"contributors\".\"lang\" ? ((@.type() == \"string\" && @ == \"english\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((t0."jsonb")::jsonb @? $1::text::jsonpath) AND ((t0."jsonb")::jsonb @? $2::text::jsonpath));

-- rec cql.allRecords=1 not (contributors.name=="Creator A" prox/unit=element contributors.lang==danish)
-- level 0: rec
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"danish\"))"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
        WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"danish\"))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((EXISTS (SELECT 1
          FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
          WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   2: "lax $.\"lang\" ? ((@.type() == \"string\" && @ == \"danish\"))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
        WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND ((of_array.element)::jsonb @? $2::text::jsonpath)))) IS NOT TRUE);

-- rec contributors.name<>"Creator A" prox/unit=element contributors.lang any "danish english"
-- level 0: rec
--   1: "lax $.\"name\" ? (@.type() != \"null\")"
--   2: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   3: "lax $.\"lang\" ? (((@.type() == \"string\" && @ == \"danish\") || (@.type() == \"string\" && @ == \"english\")))"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND (NOT coalesce((of_array.element)::jsonb @? $2::text::jsonpath, FALSE)) AND ((of_array.element)::jsonb @? $3::text::jsonpath)))
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "lax $.\"name\" ? (@.type() != \"null\")"
--   2: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   3: "lax $.\"lang\" ? (((@.type() == \"string\" && @ == \"danish\") || (@.type() == \"string\" && @ == \"english\")))"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND (NOT coalesce((of_array.element)::jsonb @? $2::text::jsonpath, FALSE)) AND ((of_array.element)::jsonb @? $3::text::jsonpath)))
    LIMIT 10001) AS n;

-- estimate
--   1: "lax $.\"name\" ? (@.type() != \"null\")"
--   2: "lax $.\"name\" ? ((@.type() == \"string\" && @ == \"Creator A\"))"
--   3: "lax $.\"lang\" ? (((@.type() == \"string\" && @ == \"danish\") || (@.type() == \"string\" && @ == \"english\")))"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (((of_array.element)::jsonb @? $1::text::jsonpath) AND (NOT coalesce((of_array.element)::jsonb @? $2::text::jsonpath, FALSE)) AND ((of_array.element)::jsonb @? $3::text::jsonpath)));

-- rec contributors =/@typeId=T1 creator
-- level 0: rec
--   1: "{\"name\"}"
--   2: "('creator')"
--   3: "{\"typeId\"}"
--   4: "('t1')"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)))
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "{\"name\"}"
--   2: "('creator')"
--   3: "{\"typeId\"}"
--   4: "('t1')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)))
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"name\"}"
--   2: "('creator')"
--   3: "{\"typeId\"}"
--   4: "('t1')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)));

-- rec contributors =/@typeId=T1/@lang=english creator
-- level 0: rec
--   1: "{\"name\"}"
--   2: "('creator')"
--   3: "{\"typeId\"}"
--   4: "('t1')"
--   5: "{\"lang\"}"
--   6: "('english')"
--   7: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $5::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $6::text)))
  ORDER BY t0."id"
  LIMIT $7::int8;

-- total
--   1: "{\"name\"}"
--   2: "('creator')"
--   3: "{\"typeId\"}"
--   4: "('t1')"
--   5: "{\"lang\"}"
--   6: "('english')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $5::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $6::text)))
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"name\"}"
--   2: "('creator')"
--   3: "{\"typeId\"}"
--   4: "('t1')"
--   5: "{\"lang\"}"
--   6: "('english')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text) AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $5::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $6::text)));

-- rec contributors =/@lang english
-- level 0: rec
--   1: "{\"lang\"}"
--   2: "('english')"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"lang\"}"
--   2: "('english')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text))
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"lang\"}"
--   2: "('english')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text));

-- rec id==1*
-- level 0: rec
--   1: "1%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."id")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "1%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (t0."id")::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "1%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (t0."id")::text LIKE $1::text;

-- rec id=zz
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE FALSE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE FALSE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE FALSE;

-- rec parent.workflowStatus==Open sortBy parent.workflowStatus title
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id", fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")), fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text
  ORDER BY fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) NULLS LAST, fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."rec" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
      WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text;

-- parents (rec.rush==true prox/unit=element rec.code==AB-100)
-- level 0: parents
--   1: true
--   2: "ab-100"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE t1."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"code"}') WHEN 'string' THEN t1."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: true
--   2: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND ((CASE t1."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"code"}') WHEN 'string' THEN t1."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text))
    LIMIT 10001) AS n;

-- estimate
--   1: true
--   2: "ab-100"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE t1."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"code"}') WHEN 'string' THEN t1."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text));

-- parents (rec.rush==true prox/unit=element rec.code==AB-101)
-- level 0: parents
--   1: true
--   2: "ab-101"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE t1."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"code"}') WHEN 'string' THEN t1."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: true
--   2: "ab-101"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND ((CASE t1."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"code"}') WHEN 'string' THEN t1."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text))
    LIMIT 10001) AS n;

-- estimate
--   1: true
--   2: "ab-101"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE t1."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) = $1::boolean AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"code"}') WHEN 'string' THEN t1."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text));

-- rec kayak
-- level 0: rec
--   1: "('kayak')"
--   2: "('kayak')"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text) OR to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "('kayak')"
--   2: "('kayak')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text) OR to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text))
    LIMIT 10001) AS n;

-- estimate
--   1: "('kayak')"
--   2: "('kayak')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text) OR to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text));

-- rec cql.serverChoice==ab-100
-- level 0: rec
--   1: "ab-100"
--   2: "ab-100"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "ab-100"
--   2: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "ab-100"
--   2: "ab-100"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $2::text);

-- rec title="foo-bar"
-- level 0: rec
--   1: "('foo-bar')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('foo-bar')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('foo-bar')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title="123 456"
-- level 0: rec
--   1: "('123' <-> '456')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('123' <-> '456')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('123' <-> '456')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title="foo-b*"
-- level 0: rec
--   1: "('foo-b':*)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('foo-b':*)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('foo-b':*)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title==*yak*
-- level 0: rec
--   1: "%yak%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%yak%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%yak%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec title=="*yak*ish*"
-- level 0: rec
--   1: "%yak%ish%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%yak%ish%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%yak%ish%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec title==*KAY?k*
-- level 0: rec
--   1: "%kay_k%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%kay_k%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%kay_k%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec title==*ya*
-- level 0: rec
--   1: "%ya%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%ya%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%ya%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec code==*b-1*
-- level 0: rec
--   1: "%b-1%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%b-1%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%b-1%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec cql.allRecords=1 not title==*yak*
-- level 0: rec
--   1: "%yak%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%yak%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "%yak%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text) IS NOT TRUE);

-- rec title="kay* fish*"
-- level 0: rec
--   1: "('kay':* <-> 'fish':*)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('kay':* <-> 'fish':*)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('kay':* <-> 'fish':*)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title all "kay* art"
-- level 0: rec
--   1: "('kay':*) & ('art')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('kay':*) & ('art')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('kay':*) & ('art')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec cql.allRecords=1 not title="kay* fish*"
-- level 0: rec
--   1: "('kay':* <-> 'fish':*)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('kay':* <-> 'fish':*)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "('kay':* <-> 'fish':*)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)) IS NOT TRUE);

-- rec cql.allRecords=1 sortBy quantity/descending
-- level 0: rec
SELECT t0."jsonb", t0."id", (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END)
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) DESC NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE TRUE;

-- rec cql.allRecords=1 sortBy price
-- level 0: rec
--   1: "strict $.\"price\""
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."jsonb")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."jsonb")::jsonb, $1::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."jsonb")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."jsonb")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."jsonb")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."jsonb")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE TRUE;

-- rec cql.allRecords=1 sortBy title/respectCase
-- level 0: rec
SELECT t0."jsonb", t0."id", fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE TRUE;

-- stays period within "2024-01-01 2024-02-10T10:00:00Z"
-- level 0: stays
--   1: "[2024-01-01T00:00:00,2024-02-10T10:00:00]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-01-01T00:00:00,2024-02-10T10:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-01-01T00:00:00,2024-02-10T10:00:00]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange;

-- stays period within "2024-01-01 2024-02-10T09:59:59.999999Z"
-- level 0: stays
--   1: "[2024-01-01T00:00:00,2024-02-10T09:59:59.999999]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-01-01T00:00:00,2024-02-10T09:59:59.999999]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-01-01T00:00:00,2024-02-10T09:59:59.999999]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange;

-- stays period within "2024-01-01 *"
-- level 0: stays
--   1: "[2024-01-01T00:00:00,]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-01-01T00:00:00,]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-01-01T00:00:00,]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) <@ $1::text::tsrange;

-- stays period within/partial "2024-01-31 2024-01-31"
-- level 0: stays
--   1: "[2024-01-31T00:00:00,2024-01-31T00:00:00]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-01-31T00:00:00,2024-01-31T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-01-31T00:00:00,2024-01-31T00:00:00]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange;

-- stays period within/partial "* 2024-01-31"
-- level 0: stays
--   1: "[,2024-01-31T00:00:00]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[,2024-01-31T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[,2024-01-31T00:00:00]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange;

-- stays period encloses 2024-02-05
-- level 0: stays
--   1: "[2024-02-05T00:00:00,2024-02-05T00:00:00]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) @> $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-02-05T00:00:00,2024-02-05T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) @> $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-02-05T00:00:00,2024-02-05T00:00:00]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) @> $1::text::tsrange;

-- stays period encloses "2024-02-02 *"
-- level 0: stays
--   1: "[2024-02-02T00:00:00,]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) @> $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-02-02T00:00:00,]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) @> $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-02-02T00:00:00,]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) @> $1::text::tsrange;

-- stays period encloses/partial 2024-01-15
-- level 0: stays
--   1: "[2024-01-15T00:00:00,2024-01-15T00:00:00]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[2024-01-15T00:00:00,2024-01-15T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[2024-01-15T00:00:00,2024-01-15T00:00:00]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange;

-- stays period = ""
-- level 0: stays
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (NOT (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (NOT (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) IS NULL)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (NOT (CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) IS NULL);

-- stays cql.allRecords=1 not period within/partial "* *"
-- level 0: stays
--   1: "[,]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (((CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[,]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (((CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "[,]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (((CASE WHEN coalesce((t0."jsonb" #>> '{"from"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"to"}') ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE) AND coalesce((t0."jsonb" #>> '{"from"}'), (t0."jsonb" #>> '{"to"}')) IS NOT NULL THEN nullif(tsrange(make_timestamp(left((t0."jsonb" #>> '{"from"}'), 4)::int4, substr((t0."jsonb" #>> '{"from"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"from"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"from"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"from"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"from"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), NULL, '[]') * tsrange(NULL, make_timestamp(left((t0."jsonb" #>> '{"to"}'), 4)::int4, substr((t0."jsonb" #>> '{"to"}'), 6, 2)::int4, substr((t0."jsonb" #>> '{"to"}'), 9, 2)::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 12, 2))::int4, ('0' || substr((t0."jsonb" #>> '{"to"}'), 15, 2))::int4, coalesce(substring((t0."jsonb" #>> '{"to"}') from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+]') || substring(substr((t0."jsonb" #>> '{"to"}'), 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4), '[]'), 'empty') END) && $1::text::tsrange) IS NOT TRUE);

-- stays prices within "10 20.5"
-- level 0: stays
--   1: "[10,20.5]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) <@ $1::text::numrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[10,20.5]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) <@ $1::text::numrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[10,20.5]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) <@ $1::text::numrange;

-- stays prices within/partial "20 20"
-- level 0: stays
--   1: "[20,20]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) && $1::text::numrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[20,20]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) && $1::text::numrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[20,20]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) && $1::text::numrange;

-- stays prices encloses 12.5
-- level 0: stays
--   1: "[12.5,12.5]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) @> $1::text::numrange
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "[12.5,12.5]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) @> $1::text::numrange
    LIMIT 10001) AS n;

-- estimate
--   1: "[12.5,12.5]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN coalesce(length((t0."jsonb" #>> '{"price","least"}')) <= 1000 AND (t0."jsonb" #>> '{"price","least"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"price","most"}')) <= 1000 AND (t0."jsonb" #>> '{"price","most"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce((t0."jsonb" #>> '{"price","least"}'), (t0."jsonb" #>> '{"price","most"}')) IS NOT NULL THEN nullif(numrange(((t0."jsonb" #>> '{"price","least"}'))::numeric, NULL, '[]') * numrange(NULL, ((t0."jsonb" #>> '{"price","most"}'))::numeric, '[]'), 'empty') END) @> $1::text::numrange;

-- stays spot within "4.7 52.1 5.1 52.4"
-- level 0: stays
--   1: "(4.7,52.1),(5.1,52.4)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "(4.7,52.1),(5.1,52.4)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box
    LIMIT 10001) AS n;

-- estimate
--   1: "(4.7,52.1),(5.1,52.4)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box;

-- stays spot within "4.9 52.4 4.9 52.4"
-- level 0: stays
--   1: "(4.9,52.4),(4.9,52.4)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "(4.9,52.4),(4.9,52.4)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box
    LIMIT 10001) AS n;

-- estimate
--   1: "(4.9,52.4),(4.9,52.4)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box;

-- stays spot within "-180 -90 180 90" sortBy spot/nearest="4.8 52.4"
-- level 0: stays
--   1: "(4.8,52.4)"
--   2: "(-180.0,-90.0),(180.0,90.0)"
--   3: "(-180.0,-90.0),(180.0,90.0)"
--   4: "(4.8,52.4)"
--   5: 101
--   6: "(4.8,52.4)"
--   7: 101
SELECT t0."jsonb", t0."id", ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $1::text::point)
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $2::text::box AND t0."id" IN (SELECT t0."id"
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $3::text::box
    ORDER BY ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $4::text::point) FETCH FIRST ($5::int8) ROWS WITH TIES)
  ORDER BY ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $6::text::point) NULLS LAST, t0."id"
  LIMIT $7::int8;

-- total
--   1: "(-180.0,-90.0),(180.0,90.0)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box
    LIMIT 10001) AS n;

-- estimate
--   1: "(-180.0,-90.0),(180.0,90.0)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE (CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <@ $1::text::box;

-- stays cql.allRecords=1 sortBy spot/nearest="4.8,52.4"
-- level 0: stays
--   1: "(4.8,52.4)"
--   2: "(4.8,52.4)"
--   3: 101
--   4: "(4.8,52.4)"
--   5: 101
SELECT t0."jsonb", t0."id", ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $1::text::point)
  FROM "public"."stays" AS t0
  WHERE TRUE AND t0."id" IN (SELECT t0."id"
    FROM "public"."stays" AS t0
    WHERE TRUE
    ORDER BY ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $2::text::point) FETCH FIRST ($3::int8) ROWS WITH TIES)
  ORDER BY ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $4::text::point) NULLS LAST, t0."id"
  LIMIT $5::int8;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE TRUE;

-- stays cql.allRecords=1 sortBy spot/nearest="0 0"/descending
-- level 0: stays
--   1: "(0.0,0.0)"
--   2: "(0.0,0.0)"
--   3: 101
SELECT t0."jsonb", t0."id", ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $1::text::point)
  FROM "public"."stays" AS t0
  WHERE TRUE
  ORDER BY ((CASE WHEN (t0."jsonb" #>> '{"place","lon"}') IS NOT NULL AND (t0."jsonb" #>> '{"place","lat"}') IS NOT NULL AND coalesce(length((t0."jsonb" #>> '{"place","lon"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lon"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) AND coalesce(length((t0."jsonb" #>> '{"place","lat"}')) <= 1000 AND (t0."jsonb" #>> '{"place","lat"}') ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE) THEN CASE WHEN (((t0."jsonb" #>> '{"place","lon"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lon"}'))::numeric) BETWEEN 1e-100 AND 1e100) AND (((t0."jsonb" #>> '{"place","lat"}'))::numeric = 0 OR abs(((t0."jsonb" #>> '{"place","lat"}'))::numeric) BETWEEN 1e-100 AND 1e100) THEN point(((t0."jsonb" #>> '{"place","lon"}'))::float8, ((t0."jsonb" #>> '{"place","lat"}'))::float8) END END) <-> $2::text::point) DESC NULLS LAST, t0."id"
  LIMIT $3::int8;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."stays" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."stays" AS t0
  WHERE TRUE;
