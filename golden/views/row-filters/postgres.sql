-- GET /t/busy_dv/
-- level 0: shop
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "public"."shop" AS t0
  JOIN "public"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($2::text)))
  WHERE t0."id" = ANY($3::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/1
-- all levels
--   1: 1 (part 1 of the key)
--   2: "2022-01-01T00:00:00"
--   3: "glue"
(SELECT 0, t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::timestamp, NULL::int4, NULL::text, NULL::numeric
    FROM "public"."shop" AS t0
    WHERE t0."id" = ANY($1::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL)))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::xid8, t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
    FROM "public"."shop" AS t0
    JOIN "public"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $2::timestamp)
    LEFT JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($3::text)))
    WHERE t0."id" = ANY($1::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
    ORDER BY t1."id");

-- GET /t/busy_dv/2
-- all levels
--   1: 2 (part 1 of the key)
--   2: "2022-01-01T00:00:00"
--   3: "glue"
(SELECT 0, t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::int4, NULL::timestamp, NULL::int4, NULL::text, NULL::numeric
    FROM "public"."shop" AS t0
    WHERE t0."id" = ANY($1::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL)))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::xid8, t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
    FROM "public"."shop" AS t0
    JOIN "public"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $2::timestamp)
    LEFT JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($3::text)))
    WHERE t0."id" = ANY($1::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
    ORDER BY t1."id");

-- GET /t/busy_dv/?q={"sale.item.name":"glue"}
-- level 0: shop
--   1: "glue"
--   2: "2022-01-01T00:00:00"
--   3: "glue"
--   4: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."sale" AS t1
    JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($1::text)))
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $2::timestamp) AND t2."name" = $3::text) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT $4::int8;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "public"."shop" AS t0
  JOIN "public"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($2::text)))
  WHERE t0."id" = ANY($3::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.amount":1}
-- level 0: shop
--   1: "2022-01-01T00:00:00"
--   2: 1
--   3: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp) AND t1."amount" = $2::int8) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "public"."shop" AS t0
  JOIN "public"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($2::text)))
  WHERE t0."id" = ANY($3::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- GET /t/busy_dv/?q={"sale.amount":100}&count=exact
-- level 0: shop
--   1: "2022-01-01T00:00:00"
--   2: 100
--   3: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp) AND t1."amount" = $2::int8) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- level 1: sale
--   1: "2022-01-01T00:00:00"
--   2: "glue"
--   3: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t1."amount", t1."at", t2."id", t2."name", t2."price"
  FROM "public"."shop" AS t0
  JOIN "public"."sale" AS t1 ON t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t1."item_id" AND (t2."price" < 10.5 AND (NOT t2."name" IN ($2::text)))
  WHERE t0."id" = ANY($3::int8[]) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL))
  ORDER BY t1."id";

-- total
--   1: "2022-01-01T00:00:00"
--   2: 100
SELECT count(*)
  FROM "public"."shop" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."sale" AS t1
    WHERE t1."shop_id" = t0."id" AND ((t1."amount" >= 2 AND t1."amount" <= 100) AND t1."at" >= $1::timestamp) AND t1."amount" = $2::int8) AND (t0."open" = TRUE AND (NOT t0."since" IS NULL));

-- GET /t/sold_dv/
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."sale" AS t0
  LEFT JOIN "public"."shop" AS t1 ON t1."id" = t0."shop_id" AND ((t1."name")::text LIKE $1::text OR t1."name" = $2::text)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/sold_dv/5
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 5 (part 1 of the key)
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."sale" AS t0
  LEFT JOIN "public"."shop" AS t1 ON t1."id" = t0."shop_id" AND ((t1."name")::text LIKE $1::text OR t1."name" = $2::text)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE t0."id" = ANY($3::int8[]);

-- GET /t/sold_dv/?q={"shop":null}
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."sale" AS t0
  LEFT JOIN "public"."shop" AS t1 ON t1."id" = t0."shop_id" AND ((t1."name")::text LIKE $1::text OR t1."name" = $2::text)
  LEFT JOIN "public"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE t1."name" IS NULL
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/sold_dv/?q={"item.name":"glue"}
-- level 0: sale
--   1: "%n%"
--   2: "bob"
--   3: "glue"
--   4: 26
SELECT t0."id", t1."id", t1."name", t2."id", t2."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."sale" AS t0
  LEFT JOIN "public"."shop" AS t1 ON t1."id" = t0."shop_id" AND ((t1."name")::text LIKE $1::text OR t1."name" = $2::text)
  JOIN "public"."item" AS t2 ON t2."id" = t0."item_id" AND (NOT t2."price" = 5)
  WHERE t2."name" = $3::text
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/dates_dv/
-- level 0: shop
--   1: "2019-06-01"
--   2: "2022-03-20T12:00:00"
--   3: "2022-03-20T08:30:00Z"
--   4: "07:00:00"
--   5: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND (t0."since" >= $1::date AND t0."changed" < $2::timestamp AND t0."moment" < $3::timestamptz AND t0."opens" > $4::time)
  ORDER BY t0."id"
  LIMIT $5::int8;

-- GET /t/uids_dv/
-- level 0: shop
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   2: "00000000-0000-0000-0000-000000000001"
--   3: 26
SELECT t0."id", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND (t0."uid" = $1::uuid OR t0."uid" IN ($2::uuid))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/kinds_dv/
-- level 0: shop
--   1: "tiny"
--   2: "big"
--   3: "mid"
--   4: 26
SELECT t0."id", t0."kind"::text, (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND (t0."kind" <> $1::public.kind AND t0."kind" IN ($2::public.kind, $3::public.kind))
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/numbers_dv/
-- level 0: shop
SELECT t0."id", t0."rate", t0."score", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND (((t0."rate" * 2) - 1) > 0.5 AND round((t0."score")::numeric / nullif((2)::numeric, 0), 10) < 1 AND t0."id" IN (1, 2, 3) AND (- t0."score") <= 0 AND t0."rate" > 1)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/texts_dv/
-- level 0: shop
--   1: "50%_%"
--   2: "BOB"
--   3: "Ann's"
--   4: "zz"
--   5: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND ((t0."name")::text LIKE $1::text OR (upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C") = $2::text OR t0."name" = $3::text OR length((t0."name")::text) > 10 OR t0."code" = $4::bpchar)
  ORDER BY t0."id"
  LIMIT $5::int8;

-- GET /t/codes_dv/
-- level 0: shop
--   1: "b"
--   2: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND t0."code" = $1::bpchar
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/spans_dv/
-- level 0: shop
--   1: "PT2H"
--   2: 26
SELECT t0."id", t0."span", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND t0."span" > $1::interval
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/columns_dv/
-- level 0: sale
SELECT t0."id", t0."amount", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."id" < t0."amount" AND t0."amount" <> t0."shop_id")
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/example_dv/
-- level 0: shop
--   1: "Cid"
--   2: 26
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND (t0."name" = $1::text OR t0."rate" >= 2.5)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/example_dv/2
-- level 0: shop
--   1: 2 (part 1 of the key)
--   2: "Cid"
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE t0."id" = ANY($1::int8[]) AND (t0."name" = $2::text OR t0."rate" >= 2.5);

-- GET /t/example_dv/1
-- level 0: shop
--   1: 1 (part 1 of the key)
--   2: "Cid"
SELECT t0."id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE t0."id" = ANY($1::int8[]) AND (t0."name" = $2::text OR t0."rate" >= 2.5);

-- GET /t/case_dv/
-- level 0: shop
--   1: "mid"
--   2: "big"
--   3: 26
SELECT t0."id", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."shop" AS t0
  WHERE TRUE AND ((CASE WHEN t0."open" THEN t0."rate" ELSE t0."score" END) > 1 AND coalesce(t0."kind", $1::public.kind) = $2::public.kind)
  ORDER BY t0."id"
  LIMIT $3::int8;
