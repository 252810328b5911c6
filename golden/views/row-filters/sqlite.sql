-- GET /t/busy_dv/
-- level 0: shop
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?3)))
  WHERE t0."id" = ?4 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/1
-- level 0: shop
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL));

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: 1 (part 1 of the key)
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?3)))
  WHERE t0."id" = ?4 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/2
-- level 0: shop
--   1: 2 (part 1 of the key)
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL));

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: 2 (part 1 of the key)
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?3)))
  WHERE t0."id" = ?4 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.item.name":"glue"}
-- level 0: shop
--   1: "glue"
--   2: "2022-01-01T00:00:00"
--   3: "2022-01-01T00:00:00"
--   4: "glue"
--   5: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?1)))
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?2) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?3) AND 9223372036854775807)) AND t2."name" = ?4) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT ?5;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?3)))
  WHERE t0."id" = ?4 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.amount":1}
-- level 0: shop
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: 1
--   4: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807)) AND t1."amount" = ?3) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT ?4;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?3)))
  WHERE t0."id" = ?4 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.amount":100}&count=exact
-- level 0: shop
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: 100
--   4: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807)) AND t1."amount" = ?3) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT ?4;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN (?3)))
  WHERE t0."id" = ?4 AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- total
--   1: "2022-01-01T00:00:00"
--   2: "2022-01-01T00:00:00"
--   3: 100
SELECT count(*)
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND (t1."at" >= duet_earliest(?1) AND duet_timestamp(t1."at") BETWEEN duet_timestamp(?2) AND 9223372036854775807)) AND t1."amount" = ?3) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL));

-- GET /t/sold_dv/
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."sale" AS t0
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (duet_like(t1."name", ?1) OR t1."name" = ?2)
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/sold_dv/5
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 5 (part 1 of the key)
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."sale" AS t0
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (duet_like(t1."name", ?1) OR t1."name" = ?2)
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE t0."id" = ?3;

-- GET /t/sold_dv/?q={"shop":null}
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."sale" AS t0
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (duet_like(t1."name", ?1) OR t1."name" = ?2)
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE t1."name" IS NULL
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/sold_dv/?q={"item.name":"glue"}
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: "glue"
--   4: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."sale" AS t0
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (duet_like(t1."name", ?1) OR t1."name" = ?2)
  JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE t2."name" = ?3
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/dates_dv/
-- level 0: shop
--   1: "2019-06-01"
--   2: "2022-03-20T12:00:00"
--   3: "2022-03-20T12:00:00"
--   4: "2022-03-20T08:30:00Z"
--   5: "2022-03-20T08:30:00Z"
--   6: "07:00:00"
--   7: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (t0."since" >= ?1 AND (t0."changed" >= '' AND t0."changed" <= duet_latest(?2) AND duet_timestamp(t0."changed") <= duet_timestamp(?3) - 1) AND (t0."moment" >= '' AND t0."moment" <= duet_latest(?4) AND duet_timestamp(t0."moment") <= duet_timestamp(?5) - 1) AND t0."opens" > ?6)
  ORDER BY t0."id"
  LIMIT ?7;

-- GET /t/uids_dv/
-- level 0: shop
--   1: "6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   2: "6F2C1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   3: "6F2c1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   4: "6F2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   5: "6f2C1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   6: "6f2C1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   7: "6f2c1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   8: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   9: 6f2c1d1e5a0b4c3d9e8f0123456789ab
--   10: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   11: "00000000-0000-0000-0000-000000000001"
--   12: 00000000000000000000000000000001
--   13: "00000000-0000-0000-0000-000000000001"
--   14: 26
SELECT t0."id", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (((t0."uid" BETWEEN ?1 AND ?2 OR t0."uid" BETWEEN ?3 AND ?4 OR t0."uid" BETWEEN ?5 AND ?6 OR t0."uid" BETWEEN ?7 AND ?8 OR t0."uid" = ?9) AND duet_uuid(t0."uid") = duet_uuid(?10)) OR (((t0."uid" = ?11 OR t0."uid" = ?12) AND duet_uuid(t0."uid") = duet_uuid(?13))))
  ORDER BY t0."id"
  LIMIT ?14;

-- GET /t/kinds_dv/
-- level 0: shop
--   1: "tiny"
--   2: "big"
--   3: "mid"
--   4: 26
SELECT t0."id", t0."kind", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (t0."kind" <> ?1 AND t0."kind" IN (?2, ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/numbers_dv/
-- level 0: shop
SELECT t0."id", t0."rate", t0."score", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (duet_subtract_decimal(duet_multiply_decimal(t0."rate", 2), 1) > 0.5 AND duet_divide(t0."score", 2) < 1 AND t0."id" IN (1, 2, 3) AND duet_negate(t0."score") <= 0 AND t0."rate" > 1)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/texts_dv/
-- level 0: shop
--   1: "50%_%"
--   2: "BOB"
--   3: "Ann's"
--   4: "zz"
--   5: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (duet_like(t0."name", ?1) OR duet_upper(t0."name") = ?2 OR t0."name" = ?3 OR duet_length(t0."name") > 10 OR t0."code" = ?4)
  ORDER BY t0."id"
  LIMIT ?5;

-- GET /t/codes_dv/
-- level 0: shop
--   1: "b"
--   2: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND t0."code" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/spans_dv/
-- level 0: shop
--   1: "PT2H"
--   2: 26
SELECT t0."id", t0."span", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND duet_interval(t0."span") > duet_interval(?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/columns_dv/
-- level 0: sale
SELECT t0."id", t0."amount", NULL
  FROM "main"."sale" AS t0
  WHERE TRUE AND (t0."id" < t0."amount" AND t0."amount" <> t0."shop_id")
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/example_dv/
-- level 0: shop
--   1: "Cid"
--   2: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (t0."name" = ?1 OR t0."rate" >= 2.5)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/example_dv/2
-- level 0: shop
--   1: 2 (part 1 of the key)
--   2: "Cid"
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND (t0."name" = ?2 OR t0."rate" >= 2.5);

-- GET /t/example_dv/1
-- level 0: shop
--   1: 1 (part 1 of the key)
--   2: "Cid"
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND (t0."name" = ?2 OR t0."rate" >= 2.5);

-- GET /t/case_dv/
-- level 0: shop
--   1: "mid"
--   2: "big"
--   3: 26
SELECT t0."id", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((CASE WHEN t0."open" THEN t0."rate" ELSE t0."score" END) > 1 AND coalesce(t0."kind", ?1) = ?2)
  ORDER BY t0."id"
  LIMIT ?3;
