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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT ?13;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: 1 (part 1 of the key)
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."thing_id" = ?13;

-- level 1: tag
--   1: 1 (part 1 of the key)
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: 3 (part 1 of the key)
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."thing_id" = ?13;

-- level 1: tag
--   1: 3 (part 1 of the key)
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: "1"
--   14: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."price" > ?13
  ORDER BY t1."name" DESC NULLS LAST, t0."made" NULLS LAST, t0."thing_id"
  LIMIT ?14;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: "heavy"
--   14: "A"
--   15: "B"
--   16: "A%"
--   17: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE (EXISTS (SELECT 1
      FROM "main"."tag" AS t3
      WHERE t3."thing_id" = t0."thing_id" AND t3."word" = ?13) AND (t2."number" >= ?14 AND t2."number" < ?15 AND duet_like(t2."number", ?16)))
  ORDER BY t0."thing_id"
  LIMIT ?17;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: "31.5"
--   14: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE duet_multiply_decimal(t0."price", t0."amount") = ?13
  ORDER BY t0."thing_id"
  LIMIT ?14;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
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
--   10: "2022-01-01T00:00:00"
--   11: "2022-01-01"
--   12: "2022-12-31"
--   13: "[\"eq\",[\"color\"],\"red\"]"
--   14: 26
SELECT t0."thing_id", t0."name", t0."price", t0."amount", t0."weight", t0."made", t0."at", t0."active", t1."maker_id", t1."name", t1."country", t2."thing_id", t2."number", duet_multiply_decimal(t0."price", t0."amount"), duet_divide(t0."amount", 2), duet_round(duet_divide(t0."price", 3), 2), duet_divide(t0."price", t0."amount"), duet_add_float(t0."weight", 0.5), duet_multiply_whole(t0."amount", 2), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), duet_length(trim(t0."name")), replace(duet_substr(t0."name", 1, 3), ?3, ?4), ((t0."price" > 5 AND t0."amount" IN (1, 2, 3))), (CASE WHEN t0."price" > 5 THEN ?5 WHEN t0."price" IS NULL THEN NULL ELSE ?6 END), coalesce(t0."made", ?7), coalesce(t0."at", ?8), (((t0."at" >= duet_earliest(?9) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?10) + 1 AND 9223372036854775807) OR (t0."made" >= ?11 AND t0."made" <= ?12))), duet_round(t0."price"), duet_abs(duet_negate(t0."weight")), nullif(t0."amount", 3), t0."secret", t0."price", t0."extras", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE (duet_json(t0."extras", ?13))
  ORDER BY t0."thing_id"
  LIMIT ?14;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."tag_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/?fields=numbers.price,madeBy.name,tag.word,total,label
-- level 0: thing
--   1: "unknown"
--   2: "-"
--   3: 26
SELECT t0."price", t1."maker_id", t1."name", duet_multiply_decimal(t0."price", t0."amount"), ((duet_upper(coalesce(t0."name", ?1)) || ?2) || t0."thing_id"), t0."thing_id"
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT ?3;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t3."thing_id", t3."word"
  FROM "main"."tag" AS t3
  WHERE t3."thing_id" = ?1
  ORDER BY t3."tag_id";

-- GET /t/thing_dv/1?fields=about,passport
-- level 0: thing
--   1: 1 (part 1 of the key)
SELECT t0."thing_id", t0."made", t0."at", t0."active", t2."thing_id", t2."number"
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."passport" AS t2 ON t2."thing_id" = t0."thing_id"
  WHERE t0."thing_id" = ?1;

-- GET /t/flat_dv/
-- level 0: thing
SELECT t0."thing_id", t1."maker_id", t1."name", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT 26;

-- level 1: passport
--   1: part 1 of the keys that level 0 has brought
SELECT t2."thing_id", t2."thing_id", t2."number"
  FROM "main"."passport" AS t2
  WHERE t2."thing_id" = ?1
  ORDER BY t2."thing_id";

-- GET /t/flat_dv/1
-- level 0: thing
--   1: 1 (part 1 of the key)
SELECT t0."thing_id", t1."maker_id", t1."name", NULL
  FROM "main"."thing" AS t0
  LEFT JOIN "main"."maker" AS t1 ON t1."maker_id" = t0."maker_id"
  WHERE t0."thing_id" = ?1;

-- level 1: passport
--   1: 1 (part 1 of the key)
SELECT t2."thing_id", t2."thing_id", t2."number"
  FROM "main"."passport" AS t2
  WHERE t2."thing_id" = ?1
  ORDER BY t2."thing_id";

-- GET /t/tags_dv/
-- level 0: thing
SELECT t0."thing_id", t0."name", NULL
  FROM "main"."thing" AS t0
  WHERE TRUE
  ORDER BY t0."thing_id"
  LIMIT 26;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t1."thing_id", t1."word"
  FROM "main"."tag" AS t1
  WHERE t1."thing_id" = ?1
  ORDER BY t1."tag_id";

-- GET /t/tags_dv/1
-- level 0: thing
--   1: 1 (part 1 of the key)
SELECT t0."thing_id", t0."name", NULL
  FROM "main"."thing" AS t0
  WHERE t0."thing_id" = ?1;

-- level 1: tag
--   1: 1 (part 1 of the key)
SELECT t1."thing_id", t1."word"
  FROM "main"."tag" AS t1
  WHERE t1."thing_id" = ?1
  ORDER BY t1."tag_id";

-- GET /t/tags_dv/?q={"words":"heavy"}
-- level 0: thing
--   1: "heavy"
--   2: 26
SELECT t0."thing_id", t0."name", NULL
  FROM "main"."thing" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."tag" AS t1
    WHERE t1."thing_id" = t0."thing_id" AND t1."word" = ?1)
  ORDER BY t0."thing_id"
  LIMIT ?2;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t1."thing_id", t1."word"
  FROM "main"."tag" AS t1
  WHERE t1."thing_id" = ?1
  ORDER BY t1."tag_id";

-- GET /t/tags_dv/?q={"words":{"$null":null}}
-- level 0: thing
SELECT t0."thing_id", t0."name", NULL
  FROM "main"."thing" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."tag" AS t1
    WHERE t1."thing_id" = t0."thing_id" AND t1."word" IS NULL)
  ORDER BY t0."thing_id"
  LIMIT 26;

-- level 1: tag
--   1: part 1 of the keys that level 0 has brought
SELECT t1."thing_id", t1."word"
  FROM "main"."tag" AS t1
  WHERE t1."thing_id" = ?1
  ORDER BY t1."tag_id";
