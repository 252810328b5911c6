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
SELECT t0."id", duet_lower(t0."t"), duet_upper(t0."t"), duet_length(t0."t"), trim(t0."t"), duet_substr(t0."t", 3), duet_substr(t0."t", 0), duet_substr(t0."t", -2), duet_substr(t0."t", -1, 4), duet_substr(t0."t", 2, duet_length(t0."t")), duet_substr(t0."t", 2, 0), replace(t0."t", ?1, ?2), replace(t0."t", ?3, ?4), (((t0."t" || t0."n") || ?5) || t0."n"), (t0."n" || t0."n"), coalesce(t0."t", ?6), (CASE WHEN t0."t" = ?7 THEN NULL ELSE t0."t" END), (CASE WHEN t0."day" = ?8 THEN NULL ELSE t0."day" END), CAST(duet_number(t0."t") AS NUMERIC), NULL
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT ?9;

-- GET /t/numbers_dv/?limit=20
-- level 0: edge
SELECT t0."id", duet_add_whole(t0."n", t0."n"), duet_multiply_whole(t0."n", 2), duet_subtract_whole(t0."big", 1), duet_negate(t0."big"), duet_add_decimal(t0."d", 0.1), duet_multiply_decimal(t0."d", t0."d"), duet_multiply_decimal(duet_multiply_decimal(t0."d", 1e-7), 1e-7), duet_add_float(t0."f", t0."d"), duet_multiply_float(t0."f", 0), duet_divide(t0."n", 2), duet_divide(t0."d", 3), duet_divide(t0."big", 1), duet_divide(t0."n", 0), duet_divide(t0."d", t0."n"), duet_abs(t0."n"), duet_abs(t0."d"), duet_abs(t0."f"), duet_negate(t0."f"), duet_round(t0."d"), duet_round(t0."d", 2), duet_round(t0."d", -1), duet_round_float(t0."f"), duet_round_float(t0."n"), duet_round(t0."n", -2), (CASE WHEN duet_round(t0."d") < t0."d" THEN duet_add_decimal(duet_round(t0."d"), 1) ELSE duet_round(t0."d") END), (CASE WHEN duet_round(t0."d") > t0."d" THEN duet_subtract_decimal(duet_round(t0."d"), 1) ELSE duet_round(t0."d") END), (CASE WHEN duet_round_float(t0."f") < t0."f" THEN duet_add_float(duet_round_float(t0."f"), 1) ELSE duet_round_float(t0."f") END), (CASE WHEN duet_round_float(t0."f") > t0."f" THEN duet_subtract_float(duet_round_float(t0."f"), 1) ELSE duet_round_float(t0."f") END), coalesce(t0."n", t0."d", 7), coalesce(t0."f", t0."n"), nullif(t0."n", 7), nullif(t0."d", 2.5), NULL
  FROM "main"."edge" AS t0
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
--   8: "[\"exists\",[\"a\"]]"
--   9: 21
SELECT t0."id", ((duet_lower(t0."t") < ?1 AND duet_upper(t0."t") >= ?2)), (t0."f" > 5), (t0."f" = t0."f"), ((t0."f" <> 2.5 OR t0."n" <= 1)), ((t0."f" >= 0 AND t0."f" <= 3)), ((t0."n" IN (7, 2147483647) AND (NOT t0."d" = 1.005))), (t0."t" IS NULL), (CASE WHEN t0."n" > 5 THEN ?3 WHEN t0."n" < 0 THEN ?4 END), (duet_like(t0."t", ?5)), (duet_like(duet_lower(t0."t"), ?6)), (CASE WHEN duet_regex(t0."t", ?7) THEN 1 ELSE 0 END), (CASE WHEN (duet_json(t0."j", ?8)) THEN 1 ELSE 0 END), NULL
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT ?9;

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
SELECT t0."id", duet_lower(t0."t"), duet_upper(t0."t"), duet_length(t0."t"), trim(t0."t"), duet_substr(t0."t", 3), duet_substr(t0."t", 0), duet_substr(t0."t", -2), duet_substr(t0."t", -1, 4), duet_substr(t0."t", 2, duet_length(t0."t")), duet_substr(t0."t", 2, 0), replace(t0."t", ?1, ?2), replace(t0."t", ?3, ?4), (((t0."t" || t0."n") || ?5) || t0."n"), (t0."n" || t0."n"), coalesce(t0."t", ?6), (CASE WHEN t0."t" = ?7 THEN NULL ELSE t0."t" END), (CASE WHEN t0."day" = ?8 THEN NULL ELSE t0."day" END), CAST(duet_number(t0."t") AS NUMERIC), NULL
  FROM "main"."edge" AS t0
  WHERE duet_lower(t0."t") = ?9
  ORDER BY t0."id"
  LIMIT ?10;

-- GET /t/texts_dv/?q={"$orderby":{"upper":"DESC"}}&fields=upper
-- level 0: edge
SELECT duet_upper(t0."t"), t0."id"
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY duet_upper(t0."t") DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/numbers_dv/?q={"tiny":{"$gt":0.00000000000001}}&fields=tiny
-- level 0: edge
--   1: "0.00000000000001"
--   2: 26
SELECT duet_multiply_decimal(duet_multiply_decimal(t0."d", 1e-7), 1e-7), t0."id"
  FROM "main"."edge" AS t0
  WHERE duet_multiply_decimal(duet_multiply_decimal(t0."d", 1e-7), 1e-7) > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/numbers_dv/?q={"even":{"$gte":2}}&fields=even
-- level 0: edge
--   1: "2.0"
--   2: 26
SELECT duet_round_float(t0."f"), t0."id"
  FROM "main"."edge" AS t0
  WHERE duet_round_float(t0."f") >= ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/product_dv/
-- level 0: edge
SELECT t0."id", duet_multiply_whole(t0."big", t0."big"), NULL
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/product_dv/2
-- level 0: edge
--   1: 2 (part 1 of the key)
SELECT t0."id", duet_multiply_whole(t0."big", t0."big"), NULL
  FROM "main"."edge" AS t0
  WHERE t0."id" = ?1;

-- GET /t/product_dv/1
-- level 0: edge
--   1: 1 (part 1 of the key)
SELECT t0."id", duet_multiply_whole(t0."big", t0."big"), NULL
  FROM "main"."edge" AS t0
  WHERE t0."id" = ?1;

-- GET /t/product_dv/?q={"_id":{"$lt":4}}
-- level 0: edge
--   1: 4
--   2: 26
SELECT t0."id", duet_multiply_whole(t0."big", t0."big"), NULL
  FROM "main"."edge" AS t0
  WHERE t0."id" < ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/product_dv/?fields=_id&limit=1
-- level 0: edge
SELECT t0."id"
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- GET /t/difference_dv/4
-- level 0: edge
--   1: 4 (part 1 of the key)
SELECT t0."id", duet_negate(duet_subtract_whole(t0."big", 1)), NULL
  FROM "main"."edge" AS t0
  WHERE t0."id" = ?1;

-- GET /t/float_dv/
-- level 0: edge
SELECT t0."id", duet_multiply_float(duet_multiply_float(t0."f", 1e300), 1e300), NULL
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/part_dv/
-- level 0: edge
SELECT t0."id", duet_substr(t0."t", 1, t0."n"), NULL
  FROM "main"."edge" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/kept_dv/
-- level 0: edge
SELECT t0."id", NULL
  FROM "main"."edge" AS t0
  WHERE TRUE AND duet_multiply_whole(t0."big", t0."big") > 0
  ORDER BY t0."id"
  LIMIT 26;
