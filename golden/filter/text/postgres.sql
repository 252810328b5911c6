-- GET /t/text/?fields=id&q={"words":{"$like":"é%"}}
-- level 0: text
--   1: "é%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"é%"}}
-- level 0: text
--   1: "é%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"ÉMILE"}}
-- level 0: text
--   1: "ÉMILE"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"emile"}}
-- level 0: text
--   1: "emile"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"stra%"}}
-- level 0: text
--   1: "stra%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"stra%"}}
-- level 0: text
--   1: "stra%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"STRAßE"}}
-- level 0: text
--   1: "STRAßE"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"straẞe"}}
-- level 0: text
--   1: "straẞe"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"ÅNGSTRÖM"}}
-- level 0: text
--   1: "ÅNGSTRÖM"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"σίσυφο_"}}
-- level 0: text
--   1: "σίσυφο_"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"ǆ"}}
-- level 0: text
--   1: "ǆ"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"istanbul"}}
-- level 0: text
--   1: "istanbul"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"İSTAN%"}}
-- level 0: text
--   1: "İSTAN%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"i_stan%"}}
-- level 0: text
--   1: "i_stan%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"ΣΊΣΥΦΟΣ"}}
-- level 0: text
--   1: "ΣΊΣΥΦΟΣ"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ilike":"σίσυφοσ"}}
-- level 0: text
--   1: "σίσυφοσ"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE lower((t0."words")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"100\\%"}}
-- level 0: text
--   1: "100\\%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"100%"}}
-- level 0: text
--   1: "100%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"a\\_b"}}
-- level 0: text
--   1: "a\\_b"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"a_b"}}
-- level 0: text
--   1: "a_b"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"back\\\\slash"}}
-- level 0: text
--   1: "back\\\\slash"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"%"}}
-- level 0: text
--   1: "%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":""}}
-- level 0: text
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"two_lines"}}
-- level 0: text
--   1: "two_lines"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$like":"_ flag"}}
-- level 0: text
--   1: "_ flag"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$not":{"$like":"%a%"}}}
-- level 0: text
--   1: "%a%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (NOT (t0."words")::text LIKE $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$instr":"%"}}
-- level 0: text
--   1: "%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE strpos((t0."words")::text, $1::text) > 0
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$instr":"STR"}}
-- level 0: text
--   1: "STR"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE strpos((t0."words")::text, $1::text) > 0
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$instr":""}}
-- level 0: text
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE strpos((t0."words")::text, $1::text) > 0
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ninstr":"a"}}
-- level 0: text
--   1: "a"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (NOT strpos((t0."words")::text, $1::text) > 0)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$hasSubstring":"_"}}
-- level 0: text
--   1: "_"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE strpos((t0."words")::text, $1::text) > 0
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$startsWith":"100%"}}
-- level 0: text
--   1: "100\\%%"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":"quote's"}
-- level 0: text
--   1: "quote's"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE t0."words" = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$eq":"EMILE"}}
-- level 0: text
--   1: "EMILE"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE t0."words" = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$ne":"EMILE"}}
-- level 0: text
--   1: "EMILE"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE t0."words" <> $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$gt":"a"}}
-- level 0: text
--   1: "a"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE t0."words" > $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$between":["A","Z"]}}
-- level 0: text
--   1: "A"
--   2: "Z"
--   3: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words" >= $1::text AND t0."words" <= $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/text/?fields=id&q={"words":{"$in":["","100%",null]}}
-- level 0: text
--   1: ""
--   2: "100%"
--   3: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words" IN ($1::text, $2::text) OR t0."words" IS NULL)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/text/?fields=id&q={"words":null}
-- level 0: text
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE t0."words" IS NULL
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/text/?fields=id&q={"words":" padded "}
-- level 0: text
--   1: " padded "
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE t0."words" = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id,words&q={"$orderby":{"words":"ASC"}}
-- level 0: text
SELECT t0."id", t0."words"
  FROM "public"."text" AS t0
  WHERE TRUE
  ORDER BY t0."words" NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/text/?fields=id&q={"words":{"$regex":"^[A-Z]"}}
-- level 0: text
--   1: "^[A-Z]"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (t0."words")::text ~ $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/text/?fields=id&q={"words":{"$not":{"$regex":"\\w{3,}"}}}
-- level 0: text
--   1: "[0-9A-Z_a-z]{3,}"
--   2: 26
SELECT t0."id"
  FROM "public"."text" AS t0
  WHERE (NOT (t0."words")::text ~ $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;
