-- rec cql.allRecords=1
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

-- rec cql.allRecords=0
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

-- rec status<>Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) <> $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) <> $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) <> $1::text;

-- rec status=Open
-- level 0: rec
--   1: "('open')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('open')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('open')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec status==Open order
-- level 0: rec
--   1: "open order"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open order"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "open order"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text;

-- rec status==Open*
-- level 0: rec
--   1: "open"
--   2: "opeo"
--   3: "open%"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "open"
--   2: "opeo"
--   3: "open%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $3::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "opeo"
--   3: "open%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $3::text);

-- rec status==*pen*
-- level 0: rec
--   1: "%pen%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%pen%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%pen%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec status==Ope?
-- level 0: rec
--   1: "ope"
--   2: "opf"
--   3: "ope_"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "ope"
--   2: "opf"
--   3: "ope_"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $3::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "ope"
--   2: "opf"
--   3: "ope_"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $3::text);

-- rec status<>Open*
-- level 0: rec
--   1: "open%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "open%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text LIKE $1::text);

-- rec title="kayak fishing"
-- level 0: rec
--   1: "('kayak' <-> 'fishing')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('kayak' <-> 'fishing')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('kayak' <-> 'fishing')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title adj "fishing kayak"
-- level 0: rec
--   1: "('fishing' <-> 'kayak')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('fishing' <-> 'kayak')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('fishing' <-> 'kayak')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title all "fishing kayak"
-- level 0: rec
--   1: "('fishing') & ('kayak')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('fishing') & ('kayak')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('fishing') & ('kayak')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title any "fishing baz"
-- level 0: rec
--   1: "('fishing') | ('baz')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('fishing') | ('baz')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('fishing') | ('baz')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title=kay*
-- level 0: rec
--   1: "('kay':*)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('kay':*)"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('kay':*)"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title="art *"
-- level 0: rec
--   1: "('art')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('art')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('art')"
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

-- rec title=^bar
-- level 0: rec
--   1: "('^bar')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('^bar')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('^bar')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title="!"
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

-- rec title=bar
-- level 0: rec
--   1: "('bar')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('bar')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('bar')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec title="bar baz"
-- level 0: rec
--   1: "('bar' <-> 'baz')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('bar' <-> 'baz')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('bar' <-> 'baz')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

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

-- rec title="foo-bar-baz"
-- level 0: rec
--   1: "('foo-bar-baz')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('foo-bar-baz')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('foo-bar-baz')"
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

-- rec title="123-456"
-- level 0: rec
--   1: "('123-456')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('123-456')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('123-456')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

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

-- rec title==""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: ""
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text;

-- rec title<>""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) <> $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) <> $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: ""
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) <> $1::text;

-- rec cql.allRecords=1 NOT title=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL)) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL)) IS NOT TRUE);

-- rec cql.allRecords=1 NOT title==""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: ""
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text) IS NOT TRUE);

-- rec title="" NOT title==""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL) AND ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text) IS NOT TRUE))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL) AND ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text) IS NOT TRUE))
    LIMIT 10001) AS n;

-- estimate
--   1: ""
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C") IS NULL) AND ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) = $1::text) IS NOT TRUE));

-- rec cql.allRecords=1 NOT status==Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text) IS NOT TRUE);

-- rec title==*
-- level 0: rec
--   1: "%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")))::text LIKE $1::text;

-- rec price==10
-- level 0: rec
--   1: "{\"price\"}"
--   2: "10"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"price\"}"
--   2: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"price\"}"
--   2: "10"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec price ==/number 4.00
-- level 0: rec
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "4"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) = $4::numeric
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) = $4::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "4"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) = $4::numeric;

-- rec price >/number 9.5
-- level 0: rec
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "9.5"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) > $4::numeric
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "9.5"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) > $4::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "9.5"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) > $4::numeric;

-- rec price <>/number 4
-- level 0: rec
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "4"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) <> $4::numeric
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) <> $4::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"price\"}"
--   2: "{\"price\"}"
--   3: "{\"price\"}"
--   4: "4"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE trim_scale((CASE WHEN length(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $3::text::text[]) COLLATE "C"))::numeric END)) <> $4::numeric;

-- rec price < 9
-- level 0: rec
--   1: "{\"price\"}"
--   2: "9"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") < $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"price\"}"
--   2: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") < $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"price\"}"
--   2: "9"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") < $2::text;

-- rec quantity==10
-- level 0: rec
--   1: "10"
--   2: "{\"quantity\"}"
--   3: "10"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "10"
--   2: "{\"quantity\"}"
--   3: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "10"
--   2: "{\"quantity\"}"
--   3: "10"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text);

-- rec quantity==4
-- level 0: rec
--   1: "4"
--   2: "{\"quantity\"}"
--   3: "4"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "4"
--   2: "{\"quantity\"}"
--   3: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "{\"quantity\"}"
--   3: "4"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text);

-- rec quantity==4.0
-- level 0: rec
--   1: "4"
--   2: "{\"quantity\"}"
--   3: "4.0"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "4"
--   2: "{\"quantity\"}"
--   3: "4.0"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "{\"quantity\"}"
--   3: "4.0"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text);

-- rec quantity ==/number 4.00
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

-- rec quantity >/number 9.5
-- level 0: rec
--   1: "9.5"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) > $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "9.5"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) > $1::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "9.5"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) > $1::numeric;

-- rec quantity <>/number 4
-- level 0: rec
--   1: "4"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) <> $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) <> $1::numeric
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) <> $1::numeric;

-- rec quantity < 9
-- level 0: rec
--   1: "{\"quantity\"}"
--   2: "9"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) < $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"quantity\"}"
--   2: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) < $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"quantity\"}"
--   2: "9"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) < $2::text;

-- rec quantity=""
-- level 0: rec
--   1: "{\"quantity\"}"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") IS NULL)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "{\"quantity\"}"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") IS NULL)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"quantity\"}"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") IS NULL);

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

-- rec rush==TRUE
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

-- rec rush<>true
-- level 0: rec
--   1: true
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (CASE t0."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) <> $1::boolean
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: true
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (CASE t0."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) <> $1::boolean
    LIMIT 10001) AS n;

-- estimate
--   1: true
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (CASE t0."jsonb" #> '{"rush"}' WHEN 'true'::jsonb THEN TRUE WHEN 'false'::jsonb THEN FALSE END) <> $1::boolean;

-- rec rush=true
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

-- rec rush==t*
-- level 0: rec
--   1: "{\"rush\"}"
--   2: "t"
--   3: "{\"rush\"}"
--   4: "u"
--   5: "{\"rush\"}"
--   6: "t%"
--   7: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) >= $2::text AND fold(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) < $4::text AND (fold(((t0."jsonb" #>> $5::text::text[]) COLLATE "C")))::text LIKE $6::text)
  ORDER BY t0."id"
  LIMIT $7::int8;

-- total
--   1: "{\"rush\"}"
--   2: "t"
--   3: "{\"rush\"}"
--   4: "u"
--   5: "{\"rush\"}"
--   6: "t%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) >= $2::text AND fold(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) < $4::text AND (fold(((t0."jsonb" #>> $5::text::text[]) COLLATE "C")))::text LIKE $6::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"rush\"}"
--   2: "t"
--   3: "{\"rush\"}"
--   4: "u"
--   5: "{\"rush\"}"
--   6: "t%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) >= $2::text AND fold(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) < $4::text AND (fold(((t0."jsonb" #>> $5::text::text[]) COLLATE "C")))::text LIKE $6::text);

-- rec rush==1
-- level 0: rec
--   1: "{\"rush\"}"
--   2: "1"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"rush\"}"
--   2: "1"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"rush\"}"
--   2: "1"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec tags=urgent
-- level 0: rec
--   1: "{\"tags\"}"
--   2: "('urgent')"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"tags\"}"
--   2: "('urgent')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"tags\"}"
--   2: "('urgent')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text);

-- rec tags=="*\"urgent\"*"
-- level 0: rec
--   1: "{\"tags\"}"
--   2: "%\"urgent\"%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"tags\"}"
--   2: "%\"urgent\"%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"tags\"}"
--   2: "%\"urgent\"%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text;

-- rec tags=="[\"urgent\", \"gift\"]"
-- level 0: rec
--   1: "{\"tags\"}"
--   2: "[\"urgent\", \"gift\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"tags\"}"
--   2: "[\"urgent\", \"gift\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"tags\"}"
--   2: "[\"urgent\", \"gift\"]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec tags=="[]"
-- level 0: rec
--   1: "{\"tags\"}"
--   2: "[]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"tags\"}"
--   2: "[]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"tags\"}"
--   2: "[]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec cql.allRecords=1 NOT tags<>"[]"
-- level 0: rec
--   1: "{\"tags\"}"
--   2: "[]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <> $2::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"tags\"}"
--   2: "[]"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <> $2::text) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"tags\"}"
--   2: "[]"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) <> $2::text) IS NOT TRUE);

-- rec contributors=Terry
-- level 0: rec
--   1: "{\"contributors\"}"
--   2: "('terry')"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"contributors\"}"
--   2: "('terry')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"contributors\"}"
--   2: "('terry')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text);

-- rec contributors=name
-- level 0: rec
--   1: "{\"contributors\"}"
--   2: "('name')"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"contributors\"}"
--   2: "('name')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"contributors\"}"
--   2: "('name')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text);

-- rec contributors.name=terry
-- level 0: rec
--   1: "{\"contributors\",\"name\"}"
--   2: "('terry')"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"contributors\",\"name\"}"
--   2: "('terry')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"contributors\",\"name\"}"
--   2: "('terry')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $2::text);

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

-- rec contributors =/@typeid=T1/@lang=english creator
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

-- rec contributors ==/@typeId=T2 "creator b"
-- level 0: rec
--   1: "{\"name\"}"
--   2: "creator b"
--   3: "{\"typeId\"}"
--   4: "('t2')"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")) = $2::text AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)))
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "{\"name\"}"
--   2: "creator b"
--   3: "{\"typeId\"}"
--   4: "('t2')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")) = $2::text AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)))
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"name\"}"
--   2: "creator b"
--   3: "{\"typeId\"}"
--   4: "('t2')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")) = $2::text AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)));

-- rec contributors <>/@typeId=T1 "creator a"
-- level 0: rec
--   1: "{\"name\"}"
--   2: "creator a"
--   3: "{\"typeId\"}"
--   4: "('t1')"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")) <> $2::text AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)))
  ORDER BY t0."id"
  LIMIT $5::int8;

-- total
--   1: "{\"name\"}"
--   2: "creator a"
--   3: "{\"typeId\"}"
--   4: "('t1')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
      WHERE (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")) <> $2::text AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)))
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"name\"}"
--   2: "creator a"
--   3: "{\"typeId\"}"
--   4: "('t1')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM jsonb_array_elements(CASE jsonb_typeof(t0."jsonb" #> '{"contributors"}') WHEN 'array' THEN t0."jsonb" #> '{"contributors"}' END) AS of_array(element)
    WHERE (fold(((of_array.element #>> $1::text::text[]) COLLATE "C")) <> $2::text AND to_tsvector('simple'::regconfig, (fold(((of_array.element #>> $3::text::text[]) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $4::text)));

-- rec code==ab-100
-- level 0: rec
--   1: "ab-100"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "ab-100"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec code==/respectCase ab-100
-- level 0: rec
--   1: "ab-100"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "ab-100"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec code=="50%_off"
-- level 0: rec
--   1: "50%_off"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "50%_off"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "50%_off"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec code=="a\*b\?c"
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

-- rec code=="back\\slash"
-- level 0: rec
--   1: "back\\slash"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "back\\slash"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "back\\slash"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec code=="say \"hi\""
-- level 0: rec
--   1: "say \"hi\""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "say \"hi\""
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "say \"hi\""
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec code=="it's"
-- level 0: rec
--   1: "it's"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "it's"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "it's"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) = $1::text;

-- rec address.city==Sovang
-- level 0: rec
--   1: "sovang"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "sovang"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")) = $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "sovang"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")) = $1::text;

-- rec address.city=søvang
-- level 0: rec
--   1: "('sovang')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('sovang')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('sovang')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"address","city"}') WHEN 'string' THEN t0."jsonb" #>> '{"address","city"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec address=="*sovang*"
-- level 0: rec
--   1: "{\"address\"}"
--   2: "%sovang%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"address\"}"
--   2: "%sovang%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"address\"}"
--   2: "%sovang%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text;

-- rec Status==Open
-- level 0: rec
--   1: "{\"Status\"}"
--   2: "open"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"Status\"}"
--   2: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"Status\"}"
--   2: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec nothing==x
-- level 0: rec
--   1: "{\"nothing\"}"
--   2: "x"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"nothing\"}"
--   2: "x"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"nothing\"}"
--   2: "x"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec nothing=""
-- level 0: rec
--   1: "{\"nothing\"}"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") IS NULL)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "{\"nothing\"}"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") IS NULL)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"nothing\"}"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT ((t0."jsonb" #>> $1::text::text[]) COLLATE "C") IS NULL);

-- rec cql.allRecords=1 not nothing==x
-- level 0: rec
--   1: "{\"nothing\"}"
--   2: "x"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"nothing\"}"
--   2: "x"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"nothing\"}"
--   2: "x"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text) IS NOT TRUE);

-- rec id=1*
-- level 0: rec
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."id" >= $1::uuid AND t0."id" <= $2::uuid)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (t0."id" >= $1::uuid AND t0."id" <= $2::uuid)
    LIMIT 10001) AS n;

-- estimate
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (t0."id" >= $1::uuid AND t0."id" <= $2::uuid);

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

-- rec id<>zz
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT t0."id" IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT t0."id" IS NULL)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT t0."id" IS NULL);

-- rec id=""
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

-- rec id==""
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

-- rec id==11111111-1111-4111-8111-111111111111
-- level 0: rec
--   1: "11111111-1111-4111-8111-111111111111"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."id" = $1::uuid
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "11111111-1111-4111-8111-111111111111"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE t0."id" = $1::uuid
    LIMIT 10001) AS n;

-- estimate
--   1: "11111111-1111-4111-8111-111111111111"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE t0."id" = $1::uuid;

-- rec id<>1*
-- level 0: rec
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT (t0."id" >= $1::uuid AND t0."id" <= $2::uuid))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT (t0."id" >= $1::uuid AND t0."id" <= $2::uuid))
    LIMIT 10001) AS n;

-- estimate
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT (t0."id" >= $1::uuid AND t0."id" <= $2::uuid));

-- rec id>33333333-1111-4111-8111-111111111111
-- level 0: rec
--   1: "33333333-1111-4111-8111-111111111111"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."id" > $1::uuid
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "33333333-1111-4111-8111-111111111111"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE t0."id" > $1::uuid
    LIMIT 10001) AS n;

-- estimate
--   1: "33333333-1111-4111-8111-111111111111"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE t0."id" > $1::uuid;

-- rec parentId=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT t0."parentid" IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (NOT t0."parentid" IS NULL)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (NOT t0."parentid" IS NULL);

-- rec parentId==""
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

-- rec cql.allRecords=1 NOT parentId=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (((NOT t0."parentid" IS NULL)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (((NOT t0."parentid" IS NULL)) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (((NOT t0."parentid" IS NULL)) IS NOT TRUE);

-- rec parentId=*
-- level 0: rec
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."parentid" >= $1::uuid AND t0."parentid" <= $2::uuid)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (t0."parentid" >= $1::uuid AND t0."parentid" <= $2::uuid)
    LIMIT 10001) AS n;

-- estimate
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (t0."parentid" >= $1::uuid AND t0."parentid" <= $2::uuid);

-- rec parent.workflowStatus==Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
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

-- rec parent.id=*
-- level 0: rec
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE (t1."id" >= $1::uuid AND t1."id" <= $2::uuid)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."rec" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
      WHERE (t1."id" >= $1::uuid AND t1."id" <= $2::uuid)) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE (t1."id" >= $1::uuid AND t1."id" <= $2::uuid);

-- rec parent.workflowStatus<>Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) <> $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."rec" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
      WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) <> $1::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) <> $1::text;

-- parents rec.title=art
-- level 0: parents
--   1: "('art')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t1."jsonb" #> '{"title"}') WHEN 'string' THEN t1."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('art')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t1."jsonb" #> '{"title"}') WHEN 'string' THEN t1."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text))
    LIMIT 10001) AS n;

-- estimate
--   1: "('art')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t1."jsonb" #> '{"title"}') WHEN 'string' THEN t1."jsonb" #>> '{"title"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text));

-- parents rec.quantity==10
-- level 0: parents
--   1: "10"
--   2: "{\"quantity\"}"
--   3: "10"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t1."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t1."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text))
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "10"
--   2: "{\"quantity\"}"
--   3: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t1."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t1."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text))
    LIMIT 10001) AS n;

-- estimate
--   1: "10"
--   2: "{\"quantity\"}"
--   3: "10"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t1."jsonb" #>> '{"quantity"}')::numeric END) = $1::numeric AND fold(((t1."jsonb" #>> $2::text::text[]) COLLATE "C")) = $3::text));

-- parents rec.status<>open
-- level 0: parents
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"status"}') WHEN 'string' THEN t1."jsonb" #>> '{"status"}' END) COLLATE "C")) <> $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"status"}') WHEN 'string' THEN t1."jsonb" #>> '{"status"}' END) COLLATE "C")) <> $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"status"}') WHEN 'string' THEN t1."jsonb" #>> '{"status"}' END) COLLATE "C")) <> $1::text);

-- parents cql.allRecords=1 not rec.status==open
-- level 0: parents
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "public"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"status"}') WHEN 'string' THEN t1."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE ((EXISTS (SELECT 1
          FROM "public"."rec" AS t1
          WHERE t1."parentid" = t0."id" AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"status"}') WHEN 'string' THEN t1."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text)) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "public"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND fold(((CASE jsonb_typeof(t1."jsonb" #> '{"status"}') WHEN 'string' THEN t1."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text)) IS NOT TRUE);

-- shelves home.workflowStatus==Open
-- level 0: shelves
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text;

-- shelves home.workflowStatus==Pending
-- level 0: shelves
--   1: "pending"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "pending"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "pending"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text;

-- shelves home.workflowStatus=""
-- level 0: shelves
--   1: "%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C"))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "%"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE (((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C"))::text LIKE $1::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C"))::text LIKE $1::text;

-- shelves home.id=*
-- level 0: shelves
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (t1."id" >= $1::uuid AND t1."id" <= $2::uuid)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE (t1."id" >= $1::uuid AND t1."id" <= $2::uuid)) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (t1."id" >= $1::uuid AND t1."id" <= $2::uuid);

-- shelves home.note==*old*
-- level 0: shelves
--   1: "{\"note\"}"
--   2: "%old%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (fold(((t1."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"note\"}"
--   2: "%old%"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE (fold(((t1."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"note\"}"
--   2: "%old%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (fold(((t1."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text;

-- shelves home.note=""
-- level 0: shelves
--   1: "{\"note\"}"
--   2: "%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (((t1."jsonb" #>> $1::text::text[]) COLLATE "C"))::text LIKE $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"note\"}"
--   2: "%"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE (((t1."jsonb" #>> $1::text::text[]) COLLATE "C"))::text LIKE $2::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"note\"}"
--   2: "%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (((t1."jsonb" #>> $1::text::text[]) COLLATE "C"))::text LIKE $2::text;

-- shelves home==*Pending*
-- level 0: shelves
--   1: "{\"home\"}"
--   2: "%pending%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"home\"}"
--   2: "%pending%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."shelves" AS t0
    WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"home\"}"
--   2: "%pending%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  WHERE (fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C")))::text LIKE $2::text;

-- shelves home.workflowStatus==Open and label==one
-- level 0: shelves
--   1: "open"
--   2: "one"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"label"}') WHEN 'string' THEN t0."jsonb" #>> '{"label"}' END) COLLATE "C")) = $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "open"
--   2: "one"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."shelves" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
      WHERE (fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"label"}') WHEN 'string' THEN t0."jsonb" #>> '{"label"}' END) COLLATE "C")) = $2::text)) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "one"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (fold(((CASE jsonb_typeof(t1."jsonb" #> '{"workflowStatus"}') WHEN 'string' THEN t1."jsonb" #>> '{"workflowStatus"}' END) COLLATE "C")) = $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"label"}') WHEN 'string' THEN t0."jsonb" #>> '{"label"}' END) COLLATE "C")) = $2::text);

-- shelves cql.allRecords=1 sortBy home.workflowStatus
-- level 0: shelves
--   1: "{\"home\",\"workflowStatus\"}"
--   2: "{\"home\",\"workflowStatus\"}"
--   3: 101
SELECT t0."jsonb", t0."id", fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C"))
  FROM "public"."shelves" AS t0
  WHERE TRUE
  ORDER BY fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT $3::int8;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."shelves" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  WHERE TRUE;

-- shelves cql.allRecords=1 sortBy home.workflowStatus/sort.descending
-- level 0: shelves
--   1: "{\"home\",\"workflowStatus\"}"
--   2: "{\"home\",\"workflowStatus\"}"
--   3: 101
SELECT t0."jsonb", t0."id", fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C"))
  FROM "public"."shelves" AS t0
  WHERE TRUE
  ORDER BY fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) DESC NULLS FIRST, t0."id"
  LIMIT $3::int8;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."shelves" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."shelves" AS t0
  WHERE TRUE;

-- parents shelf.label==one
-- level 0: parents
--   1: "one"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"label"}') WHEN 'string' THEN t2."jsonb" #>> '{"label"}' END) COLLATE "C")) = $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "one"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."shelves" AS t2
      WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"label"}') WHEN 'string' THEN t2."jsonb" #>> '{"label"}' END) COLLATE "C")) = $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "one"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"label"}') WHEN 'string' THEN t2."jsonb" #>> '{"label"}' END) COLLATE "C")) = $1::text);

-- parents shelf.home.workflowStatus==Open
-- level 0: parents
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"home","workflowStatus"}') WHEN 'string' THEN t2."jsonb" #>> '{"home","workflowStatus"}' END) COLLATE "C")) = $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."shelves" AS t2
      WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"home","workflowStatus"}') WHEN 'string' THEN t2."jsonb" #>> '{"home","workflowStatus"}' END) COLLATE "C")) = $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"home","workflowStatus"}') WHEN 'string' THEN t2."jsonb" #>> '{"home","workflowStatus"}' END) COLLATE "C")) = $1::text);

-- parents shelf.home.note==old
-- level 0: parents
--   1: "old"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"home","note"}') WHEN 'string' THEN t2."jsonb" #>> '{"home","note"}' END) COLLATE "C")) = $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "old"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."shelves" AS t2
      WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"home","note"}') WHEN 'string' THEN t2."jsonb" #>> '{"home","note"}' END) COLLATE "C")) = $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "old"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND fold(((CASE jsonb_typeof(t2."jsonb" #> '{"home","note"}') WHEN 'string' THEN t2."jsonb" #>> '{"home","note"}' END) COLLATE "C")) = $1::text);

-- rec parent.nothing==x
-- level 0: rec
--   1: "{\"nothing\"}"
--   2: "x"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((t1."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "{\"nothing\"}"
--   2: "x"
SELECT count(*)
  FROM (WITH n AS MATERIALIZED (SELECT 1
      FROM "public"."rec" AS t0
      JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
      WHERE fold(((t1."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text) SELECT 1
    FROM n
    LIMIT 10001) AS n;

-- estimate
--   1: "{\"nothing\"}"
--   2: "x"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  JOIN "public"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE fold(((t1."jsonb" #>> $1::text::text[]) COLLATE "C")) = $2::text;

-- rec ordered>="2019-06-01T10:00:00" AND ordered<"2019-07-01"
-- level 0: rec
--   1: "2019-06-01t10:00:00"
--   2: "2019-07-01"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) < $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "2019-06-01t10:00:00"
--   2: "2019-07-01"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) < $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "2019-06-01t10:00:00"
--   2: "2019-07-01"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) < $2::text);

-- rec ordered=="2019-06*"
-- level 0: rec
--   1: "2019-06"
--   2: "2019-07"
--   3: "2019-06%"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")))::text LIKE $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- total
--   1: "2019-06"
--   2: "2019-07"
--   3: "2019-06%"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")))::text LIKE $3::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "2019-06"
--   2: "2019-07"
--   3: "2019-06%"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) >= $1::text AND fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")) < $2::text AND (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"ordered"}') WHEN 'string' THEN t0."jsonb" #>> '{"ordered"}' END) COLLATE "C")))::text LIKE $3::text);

-- rec status>open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) > $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) > $1::text
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) > $1::text;

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

-- rec level<>high
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

-- rec level==*low
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

-- rec level=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IS NULL)
  ORDER BY t0."id"
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

-- rec level=*
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

-- parents rec.level<>high
-- level 0: parents
--   1: "low"
--   2: "very low"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "low"
--   2: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text))
    LIMIT 10001) AS n;

-- estimate
--   1: "low"
--   2: "very low"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND ((CASE jsonb_typeof(t1."jsonb" #> '{"level"}') WHEN 'string' THEN t1."jsonb" #>> '{"level"}' END) COLLATE "C") IN ($1::text, $2::text));

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

-- rec cql.allRecords=1 sortBy level
-- level 0: rec
SELECT t0."jsonb", t0."id", ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") NULLS LAST, t0."id"
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

-- rec level="" sortBy level/sort.descending
-- level 0: rec
SELECT t0."jsonb", t0."id", ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE (NOT ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") IS NULL)
  ORDER BY ((CASE jsonb_typeof(t0."jsonb" #> '{"level"}') WHEN 'string' THEN t0."jsonb" #>> '{"level"}' END) COLLATE "C") DESC NULLS FIRST, t0."id"
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

-- rec status==(Open or Pending)
-- level 0: rec
--   1: "open"
--   2: "pending"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- total
--   1: "open"
--   2: "pending"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "pending"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text);

-- rec status==Open or status==Closed and price==/number 4
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "{\"price\"}"
--   4: "{\"price\"}"
--   5: "{\"price\"}"
--   6: "4"
--   7: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text) AND trim_scale((CASE WHEN length(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $4::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $5::text::text[]) COLLATE "C"))::numeric END)) = $6::numeric)
  ORDER BY t0."id"
  LIMIT $7::int8;

-- total
--   1: "open"
--   2: "closed"
--   3: "{\"price\"}"
--   4: "{\"price\"}"
--   5: "{\"price\"}"
--   6: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text) AND trim_scale((CASE WHEN length(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $4::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $5::text::text[]) COLLATE "C"))::numeric END)) = $6::numeric)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "closed"
--   3: "{\"price\"}"
--   4: "{\"price\"}"
--   5: "{\"price\"}"
--   6: "4"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text) AND trim_scale((CASE WHEN length(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $4::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $5::text::text[]) COLLATE "C"))::numeric END)) = $6::numeric);

-- rec status==Open or (status==Closed and price==/number 9)
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "{\"price\"}"
--   4: "{\"price\"}"
--   5: "{\"price\"}"
--   6: "9"
--   7: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text AND trim_scale((CASE WHEN length(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $4::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $5::text::text[]) COLLATE "C"))::numeric END)) = $6::numeric))
  ORDER BY t0."id"
  LIMIT $7::int8;

-- total
--   1: "open"
--   2: "closed"
--   3: "{\"price\"}"
--   4: "{\"price\"}"
--   5: "{\"price\"}"
--   6: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text AND trim_scale((CASE WHEN length(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $4::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $5::text::text[]) COLLATE "C"))::numeric END)) = $6::numeric))
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "closed"
--   3: "{\"price\"}"
--   4: "{\"price\"}"
--   5: "{\"price\"}"
--   6: "9"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $1::text OR (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) = $2::text AND trim_scale((CASE WHEN length(((t0."jsonb" #>> $3::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $4::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $5::text::text[]) COLLATE "C"))::numeric END)) = $6::numeric));

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

-- rec cql.serverChoice=kayak
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

-- rec cql.allRecords=1 sortBy status title/sort.descending
-- level 0: rec
SELECT t0."jsonb", t0."id", fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")), fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")) NULLS LAST, fold(((CASE jsonb_typeof(t0."jsonb" #> '{"title"}') WHEN 'string' THEN t0."jsonb" #>> '{"title"}' END) COLLATE "C")) DESC NULLS FIRST, t0."id"
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

-- rec cql.allRecords=1 sortBy price/number tags
-- level 0: rec
--   1: "lax $.\"price\" ? (@.type() == \"null\")"
--   2: "{\"price\"}"
--   3: "lax $.\"price\" ? (@.type() == \"string\" && @ like_regex \"^.*$\" flag \"s\")"
--   4: "lax $.\"price\" ? (((@.type() == \"boolean\" && @ == false) || (@.type() == \"boolean\" && @ == true)))"
--   5: "{\"price\"}"
--   6: "{\"price\"}"
--   7: "{\"price\"}"
--   8: "{\"price\"}"
--   9: "lax $.\"price\" ? (@.type() == \"string\" && @ like_regex \"^.*$\" flag \"s\")"
--   10: "{\"price\"}"
--   11: "{\"price\"}"
--   12: "{\"price\"}"
--   13: "lax $.\"price\" ? (@.type() == \"string\" && @ like_regex \"^.*$\" flag \"s\")"
--   14: "{\"price\"}"
--   15: "lax $.\"price\" ? (((@.type() == \"boolean\" && @ == false) || (@.type() == \"boolean\" && @ == true)))"
--   16: "{\"price\"}"
--   17: "{\"tags\"}"
--   18: "lax $.\"price\" ? (@.type() == \"null\")"
--   19: "{\"price\"}"
--   20: "lax $.\"price\" ? (@.type() == \"string\" && @ like_regex \"^.*$\" flag \"s\")"
--   21: "lax $.\"price\" ? (((@.type() == \"boolean\" && @ == false) || (@.type() == \"boolean\" && @ == true)))"
--   22: "{\"price\"}"
--   23: "{\"price\"}"
--   24: "{\"price\"}"
--   25: "{\"price\"}"
--   26: "lax $.\"price\" ? (@.type() == \"string\" && @ like_regex \"^.*$\" flag \"s\")"
--   27: "{\"price\"}"
--   28: "{\"price\"}"
--   29: "{\"price\"}"
--   30: "lax $.\"price\" ? (@.type() == \"string\" && @ like_regex \"^.*$\" flag \"s\")"
--   31: "{\"price\"}"
--   32: "lax $.\"price\" ? (((@.type() == \"boolean\" && @ == false) || (@.type() == \"boolean\" && @ == true)))"
--   33: "{\"price\"}"
--   34: "{\"tags\"}"
--   35: 101
SELECT t0."jsonb", t0."id", (CASE WHEN (((t0."jsonb")::jsonb @? $1::text::jsonpath) AND ((t0."jsonb" #>> $2::text::text[]) COLLATE "C") IS NULL) THEN 0 WHEN ((t0."jsonb")::jsonb @? $3::text::jsonpath) THEN 1 WHEN ((t0."jsonb")::jsonb @? $4::text::jsonpath) THEN 3 WHEN (NOT (CASE WHEN length(((t0."jsonb" #>> $5::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $6::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $7::text::text[]) COLLATE "C"))::numeric END) IS NULL) THEN 2 WHEN (NOT ((t0."jsonb" #>> $8::text::text[]) COLLATE "C") IS NULL) THEN 4 END), trim_scale((CASE WHEN ((t0."jsonb")::jsonb @? $9::text::jsonpath) THEN NULL ELSE (CASE WHEN length(((t0."jsonb" #>> $10::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $11::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $12::text::text[]) COLLATE "C"))::numeric END) END)), (CASE WHEN ((t0."jsonb")::jsonb @? $13::text::jsonpath) THEN ((t0."jsonb" #>> $14::text::text[]) COLLATE "C") WHEN ((t0."jsonb")::jsonb @? $15::text::jsonpath) THEN ((t0."jsonb" #>> $16::text::text[]) COLLATE "C") END), fold(((t0."jsonb" #>> $17::text::text[]) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (CASE WHEN (((t0."jsonb")::jsonb @? $18::text::jsonpath) AND ((t0."jsonb" #>> $19::text::text[]) COLLATE "C") IS NULL) THEN 0 WHEN ((t0."jsonb")::jsonb @? $20::text::jsonpath) THEN 1 WHEN ((t0."jsonb")::jsonb @? $21::text::jsonpath) THEN 3 WHEN (NOT (CASE WHEN length(((t0."jsonb" #>> $22::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $23::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $24::text::text[]) COLLATE "C"))::numeric END) IS NULL) THEN 2 WHEN (NOT ((t0."jsonb" #>> $25::text::text[]) COLLATE "C") IS NULL) THEN 4 END) NULLS LAST, trim_scale((CASE WHEN ((t0."jsonb")::jsonb @? $26::text::jsonpath) THEN NULL ELSE (CASE WHEN length(((t0."jsonb" #>> $27::text::text[]) COLLATE "C")) <= 1000 AND (((t0."jsonb" #>> $28::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."jsonb" #>> $29::text::text[]) COLLATE "C"))::numeric END) END)) NULLS LAST, (CASE WHEN ((t0."jsonb")::jsonb @? $30::text::jsonpath) THEN ((t0."jsonb" #>> $31::text::text[]) COLLATE "C") WHEN ((t0."jsonb")::jsonb @? $32::text::jsonpath) THEN ((t0."jsonb" #>> $33::text::text[]) COLLATE "C") END) NULLS LAST, fold(((t0."jsonb" #>> $34::text::text[]) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT $35::int8;

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

-- rec cql.allRecords=1 sortBy quantity/number/sort.descending
-- level 0: rec
SELECT t0."jsonb", t0."id", (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END)
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (CASE jsonb_typeof(t0."jsonb" #> '{"quantity"}') WHEN 'number' THEN (t0."jsonb" #>> '{"quantity"}')::numeric END) DESC NULLS FIRST, t0."id"
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

-- rec cql.allRecords=1 sortBy quantity
-- level 0: rec
--   1: "{\"quantity\"}"
--   2: "{\"quantity\"}"
--   3: 101
SELECT t0."jsonb", t0."id", fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) NULLS LAST, t0."id"
  LIMIT $3::int8;

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

-- rec cql.allRecords=1 sortBy nothing id/sort.descending
-- level 0: rec
--   1: "{\"nothing\"}"
--   2: "{\"nothing\"}"
--   3: 101
SELECT t0."jsonb", t0."id", fold(((t0."jsonb" #>> $1::text::text[]) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY fold(((t0."jsonb" #>> $2::text::text[]) COLLATE "C")) NULLS LAST, t0."id" DESC NULLS FIRST
  LIMIT $3::int8;

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

-- rec cql.allRecords=1 sortBy code/respectCase
-- level 0: rec
SELECT t0."jsonb", t0."id", fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C"))
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY fold_accents(((CASE jsonb_typeof(t0."jsonb" #> '{"code"}') WHEN 'string' THEN t0."jsonb" #>> '{"code"}' END) COLLATE "C")) NULLS LAST, t0."id"
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

-- rec status=zzz or title=*
-- level 0: rec
--   1: "('zzz')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('zzz')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('zzz')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

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

-- rec title=* and status=closed
-- level 0: rec
--   1: "('closed')"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: "('closed')"
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text)
    LIMIT 10001) AS n;

-- estimate
--   1: "('closed')"
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, (fold(((CASE jsonb_typeof(t0."jsonb" #> '{"status"}') WHEN 'string' THEN t0."jsonb" #>> '{"status"}' END) COLLATE "C")))::text) @@ to_tsquery('simple'::regconfig, $1::text);

-- rec cql.allRecords=1 not title=*
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "public"."rec" AS t0
  WHERE ((TRUE) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "public"."rec" AS t0
    WHERE ((TRUE) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
EXPLAIN (FORMAT JSON) SELECT 1
  FROM "public"."rec" AS t0
  WHERE ((TRUE) IS NOT TRUE);
