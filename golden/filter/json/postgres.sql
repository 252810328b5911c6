-- GET /t/doc_dv/?fields=_id&q={"j.winner.name":"Leclerc"}
-- level 0: doc
--   1: "lax $.\"winner\".\"name\" ? ((@.type() == \"string\" && @ == \"Leclerc\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j":{"winner":{"name":{"$like":"%stap%"}}}}
-- level 0: doc
--   1: "lax $.\"winner\".\"name\" ? (@.type() == \"string\" && @ like_regex \"^.*stap.*$\" flag \"s\")"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.points":{"$gte":25.5}}
-- level 0: doc
--   1: "lax $.\"winner\".\"points\" ? ((@.type() == \"number\" && @ >= 25.5))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.points":"25"}
-- level 0: doc
--   1: "lax $.\"winner\".\"points\" ? ((@.type() == \"string\" && @ == \"25\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.points":{"$between":[null,25]}}
-- level 0: doc
--   1: "lax $.\"winner\".\"points\" ? ((@.type() == \"number\" && @ <= 25))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$contains":"wet"}}
-- level 0: doc
--   1: "lax $.\"tags\" ? ((@.type() == \"string\" && @ == \"wet\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$in":["night",7]}}
-- level 0: doc
--   1: "lax $.\"tags\" ? (((@.type() == \"string\" && @ == \"night\") || (@.type() == \"number\" && @ == 7)))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$not":"wet"}}
-- level 0: doc
--   1: "lax $.\"tags\" ? ((@.type() == \"string\" && @ == \"wet\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE (NOT coalesce((t0."j")::jsonb @? $1::text::jsonpath, FALSE))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.laps.ms":{"$gt":80}}
-- level 0: doc
--   1: "lax $.\"laps\".\"ms\" ? ((@.type() == \"number\" && @ > 80))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner":null}
-- level 0: doc
--   1: "lax $.\"winner\" ? (@.type() == \"null\")"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner":{"$exists":false}}
-- level 0: doc
--   1: "lax $.\"winner\""
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE (NOT coalesce((t0."j")::jsonb @? $1::text::jsonpath, FALSE))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner":{"$notnull":null}}
-- level 0: doc
--   1: "lax $.\"winner\" ? (@.type() != \"null\")"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j":null}
-- level 0: doc
--   1: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE t0."j" IS NULL
  ORDER BY t0."id"
  LIMIT $1::int8;

-- GET /t/doc_dv/?fields=_id&q={"color":{"$ne":"blue"}}
-- level 0: doc
--   1: "lax $.\"color\" ? ((@.type() == \"string\" && @ != \"blue\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."extras")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"color":null}
-- level 0: doc
--   1: "lax $.\"color\" ? (@.type() == \"null\")"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."extras")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"name":"hidden"}
-- level 0: doc
--   1: "hidden"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE t0."name" = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"part.j.ok":true}
-- level 0: doc
--   1: "lax $.\"ok\" ? ((@.type() == \"boolean\" && @ == true))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."part" AS t1
    WHERE t1."doc_id" = t0."id" AND ((t1."j")::jsonb @? $1::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"part.j.ok":{"$nin":[false]}}
-- level 0: doc
--   1: "lax $.\"ok\" ? ((@.type() == \"boolean\" && @ == false))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE (NOT EXISTS (SELECT 1
      FROM "public"."part" AS t1
      WHERE t1."doc_id" = t0."id" AND ((t1."j")::jsonb @? $1::text::jsonpath)))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc/?fields=id&q={"j.winner.name":"Leclerc"}
-- level 0: doc
--   1: "lax $.\"winner\".\"name\" ? ((@.type() == \"string\" && @ == \"Leclerc\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc/?fields=id&q={"extras.color":7}
-- level 0: doc
--   1: "lax $.\"color\" ? ((@.type() == \"number\" && @ == 7))"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."extras")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.name":{"$regex":"^(?:Le|Ve).*n?$"}}
-- level 0: doc
--   1: "lax $.\"winner\".\"name\" ? (@.type() == \"string\" && @ like_regex \"^(?:Le|Ve).*n?$\" flag \"s\")"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;
