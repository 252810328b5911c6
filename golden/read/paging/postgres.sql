-- GET /t/none_yet/
-- level 0: none_yet
SELECT t0."id"
  FROM "public"."none_yet" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/none_yet
-- level 0: none_yet
SELECT t0."id"
  FROM "public"."none_yet" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/many/
-- level 0: many
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/many/?offset=25
-- level 0: many
--   1: 26
--   2: 25
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?offset=50
-- level 0: many
--   1: 26
--   2: 50
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?offset=10
-- level 0: many
--   1: 26
--   2: 10
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?limit=60
-- level 0: many
--   1: 61
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8;

-- GET /t/many/?limit=59&offset=1
-- level 0: many
--   1: 60
--   2: 1
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?limit=2&offset=3
-- level 0: many
--   1: 3
--   2: 3
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?limit=99999&offset=58
-- level 0: many
--   1: 10001
--   2: 58
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?offset=9223372036854775807&limit=1
-- level 0: many
--   1: 2
--   2: 4611686018427387903
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?limit=9223372036854775807&offset=58
-- level 0: many
--   1: 10001
--   2: 58
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/many/?count=exact&limit=1
-- level 0: many
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- total
SELECT count(*)
  FROM "public"."many" AS t0
  WHERE TRUE;

-- GET /t/many/?count=estimated&limit=1
-- level 0: many
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- GET /t/many/?count=none&limit=1
-- level 0: many
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- GET /t/many/?count=exact&limit=1&q={"id":{"$gt":50}}
-- level 0: many
--   1: 50
--   2: 2
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE t0."id" > $1::int8
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: 50
SELECT count(*)
  FROM "public"."many" AS t0
  WHERE t0."id" > $1::int8;

-- GET /t/many/?count=estimated&limit=1&q={"id":{"$gt":50}}
-- level 0: many
--   1: 50
--   2: 2
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE t0."id" > $1::int8
  ORDER BY t0."id"
  LIMIT $2::int8;

-- total
--   1: 50
SELECT count(*)
  FROM "public"."many" AS t0
  WHERE t0."id" > $1::int8;

-- GET /t/none_yet/?count=exact
-- level 0: none_yet
SELECT t0."id"
  FROM "public"."none_yet" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- total
SELECT count(*)
  FROM "public"."none_yet" AS t0
  WHERE TRUE;

-- GET /t/many/?after=&limit=25
-- level 0: many
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET the next page
-- level 0: many
--   1: 25
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE AND (t0."id") > ($1::int8)
  ORDER BY t0."id"
  LIMIT 26;

-- GET the next page
-- level 0: many
--   1: 50
SELECT t0."id"
  FROM "public"."many" AS t0
  WHERE TRUE AND (t0."id") > ($1::int8)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/item/?after=&limit=3&q={"$orderby":{"name":"ASC"}}
-- level 0: item
--   1: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."name" NULLS LAST, t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: item
--   1: "a,b"
--   2: "a,b"
--   3: 3
--   4: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (((t0."name" > $1::text OR t0."name" IS NULL)) OR ((t0."name" = $2::text) AND (t0."id" > $3::int8)))
  ORDER BY t0."name" NULLS LAST, t0."id"
  LIMIT $4::int8;

-- GET the next page
-- level 0: item
--   1: 2
--   2: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND ((FALSE) OR (t0."name" IS NULL AND (t0."id" > $1::int8)))
  ORDER BY t0."name" NULLS LAST, t0."id"
  LIMIT $2::int8;

-- GET /t/item/?after=&limit=3&q={"$orderby":{"name":"DESC"}}
-- level 0: item
--   1: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."name" DESC NULLS LAST, t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: item
--   1: "a,b"
--   2: "a,b"
--   3: 1
--   4: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (((t0."name" < $1::text OR t0."name" IS NULL)) OR ((t0."name" = $2::text) AND (t0."id" > $3::int8)))
  ORDER BY t0."name" DESC NULLS LAST, t0."id"
  LIMIT $4::int8;

-- GET the next page
-- level 0: item
--   1: 2
--   2: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND ((FALSE) OR (t0."name" IS NULL AND (t0."id" > $1::int8)))
  ORDER BY t0."name" DESC NULLS LAST, t0."id"
  LIMIT $2::int8;

-- GET /t/item/?after=&limit=2&q={"$orderby":{"points":"ASC","name":"DESC"}}
-- level 0: item
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."points" NULLS LAST, t0."name" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: 10
--   2: 10
--   3: "a,b"
--   4: 10
--   5: "a,b"
--   6: 1
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (((t0."points" > $1::int8 OR t0."points" IS NULL)) OR ((t0."points" = $2::int8) AND (t0."name" < $3::text OR t0."name" IS NULL)) OR ((t0."points" = $4::int8) AND (t0."name" = $5::text) AND (t0."id" > $6::int8)))
  ORDER BY t0."points" NULLS LAST, t0."name" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: 20
--   2: 20
--   3: 20
--   4: 2
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (((t0."points" > $1::int8 OR t0."points" IS NULL)) OR ((t0."points" = $2::int8) AND FALSE) OR ((t0."points" = $3::int8) AND t0."name" IS NULL AND (t0."id" > $4::int8)))
  ORDER BY t0."points" NULLS LAST, t0."name" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: "a,b"
--   2: "a,b"
--   3: 3
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND ((FALSE) OR (t0."points" IS NULL AND (t0."name" < $1::text OR t0."name" IS NULL)) OR (t0."points" IS NULL AND (t0."name" = $2::text) AND (t0."id" > $3::int8)))
  ORDER BY t0."points" NULLS LAST, t0."name" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/item/?after=&limit=2&q={"$orderby":{"kind":"DESC","points":"DESC"}}
-- level 0: item
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."kind" DESC, t0."points" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: "y"
--   2: "y"
--   3: "y"
--   4: 10
--   5: "y"
--   6: 10
--   7: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind" <= $1::text AND (((t0."kind" < $2::text)) OR ((t0."kind" = $3::text) AND (t0."points" < $4::int8 OR t0."points" IS NULL)) OR ((t0."kind" = $5::text) AND (t0."points" = $6::int8) AND (t0."id" > $7::int8))))
  ORDER BY t0."kind" DESC, t0."points" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: "x"
--   2: "x"
--   3: "x"
--   4: 10
--   5: "x"
--   6: 10
--   7: 1
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind" <= $1::text AND (((t0."kind" < $2::text)) OR ((t0."kind" = $3::text) AND (t0."points" < $4::int8 OR t0."points" IS NULL)) OR ((t0."kind" = $5::text) AND (t0."points" = $6::int8) AND (t0."id" > $7::int8))))
  ORDER BY t0."kind" DESC, t0."points" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: "x"
--   2: "x"
--   3: "x"
--   4: "x"
--   5: 5
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind" <= $1::text AND (((t0."kind" < $2::text)) OR ((t0."kind" = $3::text) AND FALSE) OR ((t0."kind" = $4::text) AND t0."points" IS NULL AND (t0."id" > $5::int8))))
  ORDER BY t0."kind" DESC, t0."points" DESC NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/item/?after=&limit=3&q={"$orderby":{"kind":"ASC"}}
-- level 0: item
--   1: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."kind", t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: item
--   1: "x"
--   2: 5
--   3: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind", t0."id") > ($1::text, $2::int8)
  ORDER BY t0."kind", t0."id"
  LIMIT $3::int8;

-- GET the next page
-- level 0: item
--   1: "y"
--   2: 4
--   3: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind", t0."id") > ($1::text, $2::int8)
  ORDER BY t0."kind", t0."id"
  LIMIT $3::int8;

-- GET /t/item/?after=&limit=3&q={"$orderby":{"kind":"DESC","id":"DESC"}}
-- level 0: item
--   1: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."kind" DESC, t0."id" DESC
  LIMIT $1::int8;

-- GET the next page
-- level 0: item
--   1: "y"
--   2: 2
--   3: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind", t0."id") < ($1::text, $2::int8)
  ORDER BY t0."kind" DESC, t0."id" DESC
  LIMIT $3::int8;

-- GET the next page
-- level 0: item
--   1: "x"
--   2: 3
--   3: 4
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE TRUE AND (t0."kind", t0."id") < ($1::text, $2::int8)
  ORDER BY t0."kind" DESC, t0."id" DESC
  LIMIT $3::int8;

-- GET /t/item/?after=&limit=1&q={"points":{"$null":null},"$orderby":{"points":"ASC"}}
-- level 0: item
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE t0."points" IS NULL
  ORDER BY t0."points" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: item
--   1: 3
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE t0."points" IS NULL AND ((FALSE) OR (t0."points" IS NULL AND (t0."id" > $1::int8)))
  ORDER BY t0."points" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: item
--   1: 5
SELECT t0."id", t0."name", t0."points", t0."kind"
  FROM "public"."item" AS t0
  WHERE t0."points" IS NULL AND ((FALSE) OR (t0."points" IS NULL AND (t0."id" > $1::int8)))
  ORDER BY t0."points" NULLS LAST, t0."id"
  LIMIT 2;

-- GET /t/item/?after=&limit=2&fields=name&q={"$orderby":{"points":"ASC"}}
-- level 0: item
SELECT t0."name", t0."id", t0."points"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."points" NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: item
--   1: 10
--   2: 10
--   3: 4
SELECT t0."name", t0."id", t0."points"
  FROM "public"."item" AS t0
  WHERE TRUE AND (((t0."points" > $1::int8 OR t0."points" IS NULL)) OR ((t0."points" = $2::int8) AND (t0."id" > $3::int8)))
  ORDER BY t0."points" NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/pair/?after=&limit=2
-- level 0: pair
SELECT t0."a", t0."b", t0."n"
  FROM "public"."pair" AS t0
  WHERE TRUE
  ORDER BY t0."a", t0."b"
  LIMIT 3;

-- GET the next page
-- level 0: pair
--   1: "x"
--   2: -3
SELECT t0."a", t0."b", t0."n"
  FROM "public"."pair" AS t0
  WHERE TRUE AND (t0."a", t0."b") > ($1::text, $2::int8)
  ORDER BY t0."a", t0."b"
  LIMIT 3;

-- GET the next page
-- level 0: pair
--   1: "x"
--   2: 2
SELECT t0."a", t0."b", t0."n"
  FROM "public"."pair" AS t0
  WHERE TRUE AND (t0."a", t0."b") > ($1::text, $2::int8)
  ORDER BY t0."a", t0."b"
  LIMIT 3;

-- GET /t/pair/?after=&limit=2&q={"$orderby":{"b":"DESC"}}
-- level 0: pair
SELECT t0."a", t0."b", t0."n"
  FROM "public"."pair" AS t0
  WHERE TRUE
  ORDER BY t0."b" DESC, t0."a"
  LIMIT 3;

-- GET the next page
-- level 0: pair
--   1: 2
--   2: 2
--   3: 2
--   4: "x"
SELECT t0."a", t0."b", t0."n"
  FROM "public"."pair" AS t0
  WHERE TRUE AND (t0."b" <= $1::int8 AND (((t0."b" < $2::int8)) OR ((t0."b" = $3::int8) AND (t0."a" > $4::text))))
  ORDER BY t0."b" DESC, t0."a"
  LIMIT 3;

-- GET the next page
-- level 0: pair
--   1: 1
--   2: 1
--   3: 1
--   4: "y"
SELECT t0."a", t0."b", t0."n"
  FROM "public"."pair" AS t0
  WHERE TRUE AND (t0."b" <= $1::int8 AND (((t0."b" < $2::int8)) OR ((t0."b" = $3::int8) AND (t0."a" > $4::text))))
  ORDER BY t0."b" DESC, t0."a"
  LIMIT 3;
