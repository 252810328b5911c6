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
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE t0."j" IS NULL
  ORDER BY t0."id"
  LIMIT 26;

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

-- GET /t/doc_dv/?fields=_id&q={"$orderby":{"j.winner.points":"DESC"}}
-- level 0: doc
--   1: "strict $.\"winner\".\"points\""
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"$orderby":[{"color":1},{"name":-1}]}
-- level 0: doc
--   1: "strict $.\"color\""
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."extras")::jsonb, $1::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."extras")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."extras")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END NULLS LAST, t0."name" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"$orderby":{"j.tags":1}}
-- level 0: doc
--   1: "strict $.\"tags\""
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"color":{"$exists":true},"$orderby":{"color":"DESC"}}&limit=1&offset=1
-- level 0: doc
--   1: "lax $.\"color\""
--   2: "strict $.\"color\""
--   3: 2
--   4: 1
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."extras")::jsonb @? $1::text::jsonpath)
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END DESC NULLS LAST, t0."id"
  LIMIT $3::int8 OFFSET $4::int8;

-- GET /t/doc/?fields=id&q={"$orderby":{"j":"DESC","extras.color":"ASC"}}
-- level 0: doc
--   1: "strict $"
--   2: "strict $.\"color\""
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."j")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END DESC NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."extras")::jsonb, $2::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$size":2}}
-- level 0: doc
--   1: "lax $ ? (@.\"tags\".type() == \"array\" && @.\"tags\".size() == 2)"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$size":{"$lt":2}}}
-- level 0: doc
--   1: "lax $ ? (@.\"tags\".type() == \"array\" && @.\"tags\".size() < 2)"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.laps":{"$size":{"$gte":1,"$ne":3}}}
-- level 0: doc
--   1: "lax $ ? (@.\"laps\".type() == \"array\" && @.\"laps\".size() >= 1)"
--   2: "lax $ ? (@.\"laps\".type() == \"array\" && @.\"laps\".size() != 3)"
--   3: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE (((t0."j")::jsonb @? $1::text::jsonpath) AND ((t0."j")::jsonb @? $2::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$not":{"$size":0}}}
-- level 0: doc
--   1: "lax $ ? (@.\"tags\".type() == \"array\" && @.\"tags\".size() == 0)"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE (NOT coalesce((t0."j")::jsonb @? $1::text::jsonpath, FALSE))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id&q={"j":{"$size":3}}
-- level 0: doc
--   1: "strict $ ? (@.type() == \"array\" && @.size() == 3)"
--   2: 26
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE ((t0."j")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/doc_dv/?fields=_id,color
-- level 0: doc
SELECT t0."id", t0."extras"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=color&limit=1
-- level 0: doc
SELECT t0."extras", t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- GET /t/nest_dv/?fields=part.ok
-- level 0: doc
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: part
--   1: part 1 of the keys that level 0 has brought
SELECT t1."doc_id", t1."j"
  FROM "public"."part" AS t1
  WHERE t1."doc_id" = ANY($1::int8[])
  ORDER BY t1."id";

-- GET /t/nest_dv/?fields=_id,part.id,PART.ok
-- level 0: doc
SELECT t0."id"
  FROM "public"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: part
--   1: part 1 of the keys that level 0 has brought
SELECT t1."doc_id", t1."id", t1."j"
  FROM "public"."part" AS t1
  WHERE t1."doc_id" = ANY($1::int8[])
  ORDER BY t1."id";
