-- GET /t/busy_dv/
-- level 0: shop
--   1: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t0."id"
  LIMIT ?1;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1)))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?2)))
  WHERE t0."id" = ?3 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/1
-- level 0: shop
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL));

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: 1 (part 1 of the key)
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1)))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?2)))
  WHERE t0."id" = ?3 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/2
-- level 0: shop
--   1: 2 (part 1 of the key)
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL));

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: 2 (part 1 of the key)
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1)))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?2)))
  WHERE t0."id" = ?3 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.item.name":"glue"}
-- level 0: shop
--   1: "glue"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?1)))
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?2))) AND t2."name" = ?3) AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t0."id"
  LIMIT ?4;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1)))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?2)))
  WHERE t0."id" = ?3 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.amount":1}
-- level 0: shop
--   1: "2022-01-01T00:00:00"
--   2: 1
--   3: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1))) AND t1."amount" = ?2) AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t0."id"
  LIMIT ?3;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1)))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?2)))
  WHERE t0."id" = ?3 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.amount":100}&count=exact
-- level 0: shop
--   1: "2022-01-01T00:00:00"
--   2: 100
--   3: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1))) AND t1."amount" = ?2) AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t0."id"
  LIMIT ?3;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "main"."shop" AS t0
  JOIN "main"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1)))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t1."item_id" AND ((t2."price" < 10.5) AND (t2."name" NOT IN (?2)))
  WHERE t0."id" = ?3 AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL))
  ORDER BY t1."id";

-- total
--   1: "2022-01-01T00:00:00"
--   2: 100
SELECT count(*)
  FROM "main"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" BETWEEN 2 AND 100) AND (duet_timestamp(t1."at") >= duet_timestamp(?1))) AND t1."amount" = ?2) AND ((t0."open" = TRUE) AND (t0."since" IS NOT NULL));

-- GET /t/sold_dv/
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."sale" AS t0
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (((duet_like(t1."name", ?1))) OR (t1."name" = ?2))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT (t2."price" = 5))
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
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (((duet_like(t1."name", ?1))) OR (t1."name" = ?2))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT (t2."price" = 5))
  WHERE t0."id" = ?3;

-- GET /t/sold_dv/?q={"shop":null}
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."sale" AS t0
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (((duet_like(t1."name", ?1))) OR (t1."name" = ?2))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT (t2."price" = 5))
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
  LEFT JOIN "main"."shop" AS t1 ON t1."id" = t0."shop_id" AND (((duet_like(t1."name", ?1))) OR (t1."name" = ?2))
  LEFT JOIN "main"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT (t2."price" = 5))
  WHERE t2."name" = ?3
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/dates_dv/
-- level 0: shop
--   1: "2019-06-01"
--   2: "2022-03-20T12:00:00"
--   3: "2022-03-20T08:30:00Z"
--   4: "07:00:00"
--   5: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((((t0."since" >= ?1) AND (duet_timestamp(t0."changed") < duet_timestamp(?2))) AND (duet_timestamp(t0."moment") < duet_timestamp(?3))) AND (t0."opens" > ?4))
  ORDER BY t0."id"
  LIMIT ?5;

-- GET /t/uids_dv/
-- level 0: shop
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   2: "00000000-0000-0000-0000-000000000001"
--   3: 26
SELECT t0."id", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((duet_uuid(t0."uid") = duet_uuid(?1)) OR (duet_uuid(t0."uid") IN (duet_uuid(?2))))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/kinds_dv/
-- level 0: shop
--   1: "tiny"
--   2: "big"
--   3: "mid"
--   4: 26
SELECT t0."id", t0."kind", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((t0."kind" <> ?1) AND (t0."kind" IN (?2, ?3)))
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/numbers_dv/
-- level 0: shop
--   1: 26
SELECT t0."id", t0."rate", t0."score", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (((((((t0."rate" * 2) - 1) > 0.5) AND (round(t0."score" * 1.0 / 2, 10) < 1)) AND (t0."id" IN (1, 2, 3))) AND ((- t0."score") <= 0)) AND (t0."rate" > 1))
  ORDER BY t0."id"
  LIMIT ?1;

-- GET /t/texts_dv/
-- level 0: shop
--   1: "50%_%"
--   2: "BOB"
--   3: "Ann's"
--   4: "zz"
--   5: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((((((duet_like(t0."name", ?1))) OR (upper(t0."name") = ?2)) OR (t0."name" = ?3)) OR (length(t0."name") > 10)) OR (t0."code" = ?4))
  ORDER BY t0."id"
  LIMIT ?5;

-- GET /t/codes_dv/
-- level 0: shop
--   1: "b"
--   2: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (t0."code" = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/spans_dv/
-- level 0: shop
--   1: "PT2H"
--   2: 26
SELECT t0."id", t0."span", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (duet_interval(t0."span") > duet_interval(?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/columns_dv/
-- level 0: sale
--   1: 26
SELECT t0."id", t0."amount", NULL
  FROM "main"."sale" AS t0
  WHERE TRUE AND ((t0."id" < t0."amount") AND (t0."amount" <> t0."shop_id"))
  ORDER BY t0."id"
  LIMIT ?1;

-- GET /t/example_dv/
-- level 0: shop
--   1: "Cid"
--   2: 26
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND ((t0."name" = ?1) OR (t0."rate" >= 2.5))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/example_dv/2
-- level 0: shop
--   1: 2 (part 1 of the key)
--   2: "Cid"
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND ((t0."name" = ?2) OR (t0."rate" >= 2.5));

-- GET /t/example_dv/1
-- level 0: shop
--   1: 1 (part 1 of the key)
--   2: "Cid"
SELECT t0."id", t0."name", NULL
  FROM "main"."shop" AS t0
  WHERE t0."id" = ?1 AND ((t0."name" = ?2) OR (t0."rate" >= 2.5));

-- GET /t/case_dv/
-- level 0: shop
--   1: "mid"
--   2: "big"
--   3: 26
SELECT t0."id", NULL
  FROM "main"."shop" AS t0
  WHERE TRUE AND (((CASE WHEN t0."open" THEN t0."rate" ELSE t0."score" END) > 1) AND (coalesce(t0."kind", ?1) = ?2))
  ORDER BY t0."id"
  LIMIT ?3;
