-- GET /t/texts_dv/?limit=20
-- level 0: edge
--   1: ""
--   2: "x"
--   3: "a"
--   4: ""
--   5: "-"
--   6: "none"
--   7: ""
--   8: "1999-12-31"
--   9: 21
SELECT t0."id", (lower((t0."t")::text COLLATE "und-x-icu") COLLATE "C"), (upper((t0."t")::text COLLATE "und-x-icu") COLLATE "C"), length((t0."t")::text), (btrim((t0."t")::text) COLLATE "C"), (substr((t0."t")::text, (3)::int4) COLLATE "C"), (substr((t0."t")::text, (0)::int4) COLLATE "C"), (substr((t0."t")::text, (-2)::int4) COLLATE "C"), (substr((t0."t")::text, (-1)::int4, (4)::int4) COLLATE "C"), (substr((t0."t")::text, (2)::int4, (length((t0."t")::text))::int4) COLLATE "C"), (substr((t0."t")::text, (2)::int4, (0)::int4) COLLATE "C"), (replace((t0."t")::text COLLATE "C", ($1::text)::text, ($2::text)::text) COLLATE "C"), (replace((t0."t")::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), (((((((((t0."t")::text || (t0."n")::text) COLLATE "C"))::text || ($5::text)::text) COLLATE "C"))::text || (t0."n")::text) COLLATE "C"), (((t0."n")::text || (t0."n")::text) COLLATE "C"), coalesce(t0."t", $6::text), (CASE WHEN t0."t" = $7::text THEN NULL ELSE t0."t" END), (CASE WHEN t0."day" = $8::date THEN NULL ELSE t0."day" END), trim_scale((CASE WHEN length(t0."t") <= 1000 AND (t0."t") ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (t0."t")::numeric END)), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $9::int8;

-- GET /t/numbers_dv/?limit=20
-- level 0: edge
SELECT t0."id", ((t0."n")::int8 + (t0."n")::int8), ((t0."n")::int8 * (2)::int8), ((t0."big")::int8 - (1)::int8), (- (t0."big")::int8), trim_scale((t0."d" + 0.1)), trim_scale((t0."d" * t0."d")), trim_scale(((t0."d" * 1e-7) * 1e-7)), (t0."f" + t0."d"), (t0."f" * 0), trim_scale(round((t0."n")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((t0."d")::numeric / nullif((3)::numeric, 0), 10)), trim_scale(round((t0."big")::numeric / nullif((1)::numeric, 0), 10)), trim_scale(round((t0."n")::numeric / nullif((0)::numeric, 0), 10)), trim_scale(round((t0."d")::numeric / nullif((t0."n")::numeric, 0), 10)), abs((t0."n")::int8), abs(t0."d"), abs(t0."f"), (- t0."f"), trim_scale(round((t0."d")::numeric)), trim_scale(round((t0."d")::numeric, (2)::int4)), trim_scale(round((t0."d")::numeric, (-1)::int4)), round((t0."f")::float8), round((t0."n")::float8), trim_scale(round((t0."n")::numeric, (-2)::int4)), trim_scale((CASE WHEN round((t0."d")::numeric) < t0."d" THEN (round((t0."d")::numeric) + 1) ELSE round((t0."d")::numeric) END)), trim_scale((CASE WHEN round((t0."d")::numeric) > t0."d" THEN (round((t0."d")::numeric) - 1) ELSE round((t0."d")::numeric) END)), (CASE WHEN round((t0."f")::float8) < t0."f" THEN (round((t0."f")::float8) + 1) ELSE round((t0."f")::float8) END), (CASE WHEN round((t0."f")::float8) > t0."f" THEN (round((t0."f")::float8) - 1) ELSE round((t0."f")::float8) END), trim_scale(coalesce(t0."n", t0."d", 7)), coalesce(t0."f", t0."n"), nullif(t0."n", 7), trim_scale(nullif(t0."d", 2.5)), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 21;

-- GET /t/truths_dv/?limit=20
-- level 0: edge
--   1: "b"
--   2: "A"
--   3: "many"
--   4: "none"
--   5: "%%%_c"
--   6: "stra_e%"
--   7: "[0-9]+"
--   8: "lax $.\"a\""
--   9: 21
SELECT t0."id", (((lower((t0."t")::text COLLATE "und-x-icu") COLLATE "C") < $1::text AND (upper((t0."t")::text COLLATE "und-x-icu") COLLATE "C") >= $2::text)), (t0."f" > 5), (t0."f" = t0."f"), ((t0."f" <> 2.5 OR t0."n" <= 1)), ((t0."f" >= 0 AND t0."f" <= 3)), ((t0."n" IN (7, 2147483647) AND (NOT t0."d" = 1.005))), (t0."t" IS NULL), (CASE WHEN t0."n" > 5 THEN $3::text WHEN t0."n" < 0 THEN $4::text END), ((t0."t")::text LIKE $5::text), (((lower((t0."t")::text COLLATE "und-x-icu") COLLATE "C"))::text LIKE $6::text), (CASE WHEN (t0."t")::text ~ $7::text THEN 1 ELSE 0 END), (CASE WHEN ((t0."j")::jsonb @? $8::text::jsonpath) THEN 1 ELSE 0 END), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $9::int8;

-- GET /t/texts_dv/?q={"lower":"größe é"}
-- level 0: edge
--   1: ""
--   2: "x"
--   3: "a"
--   4: ""
--   5: "-"
--   6: "none"
--   7: ""
--   8: "1999-12-31"
--   9: "größe é"
--   10: 26
SELECT t0."id", (lower((t0."t")::text COLLATE "und-x-icu") COLLATE "C"), (upper((t0."t")::text COLLATE "und-x-icu") COLLATE "C"), length((t0."t")::text), (btrim((t0."t")::text) COLLATE "C"), (substr((t0."t")::text, (3)::int4) COLLATE "C"), (substr((t0."t")::text, (0)::int4) COLLATE "C"), (substr((t0."t")::text, (-2)::int4) COLLATE "C"), (substr((t0."t")::text, (-1)::int4, (4)::int4) COLLATE "C"), (substr((t0."t")::text, (2)::int4, (length((t0."t")::text))::int4) COLLATE "C"), (substr((t0."t")::text, (2)::int4, (0)::int4) COLLATE "C"), (replace((t0."t")::text COLLATE "C", ($1::text)::text, ($2::text)::text) COLLATE "C"), (replace((t0."t")::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), (((((((((t0."t")::text || (t0."n")::text) COLLATE "C"))::text || ($5::text)::text) COLLATE "C"))::text || (t0."n")::text) COLLATE "C"), (((t0."n")::text || (t0."n")::text) COLLATE "C"), coalesce(t0."t", $6::text), (CASE WHEN t0."t" = $7::text THEN NULL ELSE t0."t" END), (CASE WHEN t0."day" = $8::date THEN NULL ELSE t0."day" END), trim_scale((CASE WHEN length(t0."t") <= 1000 AND (t0."t") ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (t0."t")::numeric END)), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE (lower((t0."t")::text COLLATE "und-x-icu") COLLATE "C") = $9::text
  ORDER BY t0."id"
  LIMIT $10::int8;

-- GET /t/texts_dv/?q={"$orderby":{"upper":"DESC"}}&fields=upper
-- level 0: edge
SELECT (upper((t0."t")::text COLLATE "und-x-icu") COLLATE "C"), t0."id"
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY (upper((t0."t")::text COLLATE "und-x-icu") COLLATE "C") DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/numbers_dv/?q={"tiny":{"$gt":0.00000000000001}}&fields=tiny
-- level 0: edge
--   1: "0.00000000000001"
--   2: 26
SELECT trim_scale(((t0."d" * 1e-7) * 1e-7)), t0."id"
  FROM "public"."edge" AS t0
  WHERE trim_scale(((t0."d" * 1e-7) * 1e-7)) > $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/numbers_dv/?q={"even":{"$gte":2}}&fields=even
-- level 0: edge
--   1: "2.0"
--   2: 26
SELECT round((t0."f")::float8), t0."id"
  FROM "public"."edge" AS t0
  WHERE round((t0."f")::float8) >= $1::float8
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/product_dv/
-- level 0: edge
SELECT t0."id", ((t0."big")::int8 * (t0."big")::int8), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/product_dv/2
-- level 0: edge
--   1: 2 (part 1 of the key)
SELECT t0."id", ((t0."big")::int8 * (t0."big")::int8), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/product_dv/1
-- level 0: edge
--   1: 1 (part 1 of the key)
SELECT t0."id", ((t0."big")::int8 * (t0."big")::int8), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/product_dv/?q={"_id":{"$lt":4}}
-- level 0: edge
--   1: 4
--   2: 26
SELECT t0."id", ((t0."big")::int8 * (t0."big")::int8), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE t0."id" < $1::int8
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/product_dv/?fields=_id&limit=1
-- level 0: edge
SELECT t0."id"
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- GET /t/difference_dv/4
-- level 0: edge
--   1: 4 (part 1 of the key)
SELECT t0."id", (- (((t0."big")::int8 - (1)::int8))::int8), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/float_dv/
-- level 0: edge
SELECT t0."id", ((t0."f" * 1e300) * 1e300), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/part_dv/
-- level 0: edge
SELECT t0."id", (substr((t0."t")::text, (1)::int4, (t0."n")::int4) COLLATE "C"), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/kept_dv/
-- level 0: edge
SELECT t0."id", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."edge" AS t0
  WHERE TRUE AND ((t0."big")::int8 * (t0."big")::int8) > 0
  ORDER BY t0."id"
  LIMIT 26;
