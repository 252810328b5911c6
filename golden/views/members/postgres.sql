-- GET /t/thing_dv/
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT $12::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/1
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: 1 (part 1 of the key)
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."thing_id" = ANY($12::int8[]);

-- level 1: tag
--   1: 1 (part 1 of the key)
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/3
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: 3 (part 1 of the key)
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."thing_id" = ANY($12::int8[]);

-- level 1: tag
--   1: 3 (part 1 of the key)
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/?q={"numbers.price":{"$gt":1},"$orderby":{"madeBy.name":"DESC","about.deep.made":"ASC"}}
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: "1"
--   13: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."price" > $12::numeric
  ORDER BY t1."name" DESC NULLS LAST, t0."made" NULLS LAST, t0."thing_id"
  LIMIT $13::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/?q={"tag.word":"heavy","passport.number":{"$like":"A%"}}
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: "heavy"
--   13: "A%"
--   14: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE (EXISTS (SELECT 1
      FROM "public"."tag" AS t3
      WHERE t3."thing_id" = t0."thing_id" AND t3."word" = $12::text) AND (t2."number")::text LIKE $13::text)
  ORDER BY t0."thing_id"
  LIMIT $14::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/?q={"total":31.5}
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: "31.5"
--   13: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE trim_scale((t0."price" * t0."amount")) = $12::numeric
  ORDER BY t0."thing_id"
  LIMIT $13::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/?q={"color":"red"}
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: "n"
--   4: "N"
--   5: "dear"
--   6: "cheap"
--   7: "2000-01-01"
--   8: "2000-01-01T00:00:00"
--   9: "2022-01-01T00:00:00"
--   10: "2022-01-01"
--   11: "2022-12-31"
--   12: "lax $.\"color\" ? ((@.type() == \"string\" && @ == \"red\"))"
--   13: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", trim_scale((t0."price" * t0."amount")), trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)), trim_scale(round((round((t0."price")::numeric / nullif((3)::numeric, 0), 10))::numeric, (2)::int4)), trim_scale(round((t0."price")::numeric / nullif((t0."amount")::numeric, 0), 10)), (t0."weight" + 0.5), ((t0."amount")::int8 * (2)::int8), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), length(((btrim((t0."name")::text) COLLATE "C"))::text), (replace(((substr((t0."name")::text, (1)::int4, (3)::int4) COLLATE "C"))::text COLLATE "C", ($3::text)::text, ($4::text)::text) COLLATE "C"), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN $5::text WHEN t0."price" IS NULL THEN NULL ELSE $6::text END), coalesce(t0."made", $7::date), coalesce(t0."at", $8::timestamp), ((t0."at" > $9::timestamp OR (t0."made" >= $10::date AND t0."made" <= $11::date))), trim_scale(round((t0."price")::numeric)), abs((- t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE ((t0."extras")::jsonb @? $12::text::jsonpath)
  ORDER BY t0."thing_id"
  LIMIT $13::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/?fields=numbers.price,madeBy.name,tag.word,total,label
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: 26
SELECT t0."price", t1."maker_id", t1."name", trim_scale((t0."price" * t0."amount")), (((((((upper((coalesce(t0."name", $1::text))::text COLLATE "und-x-icu") COLLATE "C"))::text || ($2::text)::text) COLLATE "C"))::text || (t0."thing_id")::text) COLLATE "C"), t0."thing_id"
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT $3::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."word"
  FROM "public"."tag" AS t3
  WHERE t3."thing_id" = ANY($1::int8[])
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/1?fields=about,passport
-- level 0: thing
--   1: 1 (part 1 of the key)
SELECT t0."thing_id", t0."made", t0."at", t0."active", t2."thing_id", t2."number"
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."thing_id" = ANY($1::int8[]);

-- GET /t/flat_dv/
-- level 0: thing
SELECT t0."thing_id", t1."maker_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT 26;

-- level 1: passport
--   1: part 1 of the keys that level 0 has brought
SELECT t2."thing_id", t2."thing_id", t2."number"
  FROM "public"."passport" AS t2
  WHERE t2."thing_id" = ANY($1::int8[])
  ORDER BY t2."thing_id";

-- GET /t/flat_dv/1
-- all levels
--   1: 1 (part 1 of the key)
(SELECT 0, t0."thing_id", t1."maker_id", t1."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::text
    FROM "public"."thing" AS t0
    LEFT JOIN "public"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
    WHERE t0."thing_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::int4, NULL::text, NULL::xid8, t2."thing_id", t2."thing_id", t2."number"
    FROM "public"."passport" AS t2
    WHERE t2."thing_id" = ANY($1::int8[])
    ORDER BY t2."thing_id");

-- GET /t/tags_dv/
-- level 0: thing
SELECT t0."thing_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT 26;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t1."thing_id", t1."word"
  FROM "public"."tag" AS t1
  WHERE t1."thing_id" = ANY($1::int8[])
  ORDER BY t1."tag_id";

-- GET /t/tags_dv/1
-- all levels
--   1: 1 (part 1 of the key)
(SELECT 0, t0."thing_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::text
    FROM "public"."thing" AS t0
    WHERE t0."thing_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::xid8, t1."thing_id", t1."word"
    FROM "public"."tag" AS t1
    WHERE t1."thing_id" = ANY($1::int8[])
    ORDER BY t1."tag_id");

-- GET /t/tags_dv/?q={"words":"heavy"}
-- level 0: thing
--   1: "heavy"
--   2: 26
SELECT t0."thing_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."tag" AS t1
    WHERE t1."thing_id" = t0."thing_id" AND t1."word" = $1::text)
  ORDER BY t0."thing_id"
  LIMIT $2::int8;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t1."thing_id", t1."word"
  FROM "public"."tag" AS t1
  WHERE t1."thing_id" = ANY($1::int8[])
  ORDER BY t1."tag_id";

-- GET /t/tags_dv/?q={"words":{"$null":null}}
-- level 0: thing
SELECT t0."thing_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."thing" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."tag" AS t1
    WHERE t1."thing_id" = t0."thing_id" AND t1."word" IS NULL)
  ORDER BY t0."thing_id"
  LIMIT 26;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t1."thing_id", t1."word"
  FROM "public"."tag" AS t1
  WHERE t1."thing_id" = ANY($1::int8[])
  ORDER BY t1."tag_id";
