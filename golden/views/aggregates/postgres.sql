-- GET /t/customer_dv/
-- level 0: customer
--   1: "{\"home\",\"city\"}"
--   2: "{\"rank\"}"
--   3: "{\"rank\"}"
--   4: "{\"rank\"}"
--   5: "{\"rank\"}"
--   6: "{\"rank\"}"
--   7: "{\"rank\"}"
--   8: "paid"
--   9: 26
SELECT t0."customer_id", t0."name", t0."note", (SELECT count(*)
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY a1_0."made" DESC
    LIMIT 1), (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY a1_0."made"
    LIMIT 1), trim_scale((SELECT round(sum(a1_0."ship")::numeric, 10)
      FROM "public"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), trim_scale((SELECT round(avg(a1_0."ship")::numeric, 10)
      FROM "public"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT sum(a1_1."quantity")::int8
    FROM "public"."orders" AS a1_0
    JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id"), (((((SELECT max(a1_1."quantity")
            FROM "public"."orders" AS a1_0
            JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
            WHERE a1_0."customer_id" = t0."customer_id"))::int8 * (2)::int8))::int8 - (1)::int8), trim_scale((SELECT round(avg(length((a1_1."product")::text))::numeric, 10)
      FROM "public"."orders" AS a1_0
      JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id")), (upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C"), ((t0."note"::jsonb #>> $1::text::text[]) COLLATE "C"), trim_scale(((CASE WHEN length(((t0."note"::jsonb #>> $2::text::text[]) COLLATE "C")) <= 1000 AND (((t0."note"::jsonb #>> $3::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."note"::jsonb #>> $4::text::text[]) COLLATE "C"))::numeric END) + 1)), trim_scale(round(((- (CASE WHEN length(((t0."note"::jsonb #>> $5::text::text[]) COLLATE "C")) <= 1000 AND (((t0."note"::jsonb #>> $6::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."note"::jsonb #>> $7::text::text[]) COLLATE "C"))::numeric END)))::numeric / nullif((2)::numeric, 0), 10)), (CASE WHEN round(((SELECT max(a1_0."ship")
          FROM "public"."orders" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::float8) > (SELECT max(a1_0."ship")
      FROM "public"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id") THEN (round(((SELECT max(a1_0."ship")
            FROM "public"."orders" AS a1_0
            WHERE a1_0."customer_id" = t0."customer_id"))::float8) - 1) ELSE round(((SELECT max(a1_0."ship")
          FROM "public"."orders" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::float8) END), (SELECT count(*)
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."state" = $8::text), (((SELECT count(DISTINCT a1_0."state")
        FROM "public"."orders" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id"))::int8 + (0)::int8), trim_scale(coalesce((SELECT round(sum((a1_1."price" * a1_1."quantity"))::numeric, 10)
        FROM "public"."orders" AS a1_0
        JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 0)), trim_scale(round((round(((SELECT round(sum(a1_1."price")::numeric, 10)
              FROM "public"."orders" AS a1_0
              JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
              WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship"))::numeric / nullif(((SELECT count(*)
                FROM "public"."orders" AS a1_0
                JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
                WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship"))::numeric, 0), 10))::numeric, (3)::int4)), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT $9::int8;

-- level 1: orders
--   1: part 1 of the keys that level 0 has brought
SELECT t1."customer_id", t1."order_id", t1."made", t1."state", t1."ship", trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t1."order_id")), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id"), (SELECT a1_0."product"
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE "C"
    LIMIT 1), (SELECT a1_0."product"
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE "C" DESC
    LIMIT 1)
  FROM "public"."orders" AS t1
  WHERE t1."customer_id" = ANY($1::int8[])
  ORDER BY t1."order_id";

-- level 2: line
--   1: part 1 of the keys that level 0 has brought
SELECT t0."customer_id", t1."order_id", t2."line_id", t2."product", t2."price", t2."quantity", trim_scale((t2."price" * t2."quantity"))
  FROM "public"."customer" AS t0
  JOIN "public"."orders" AS t1 ON t1."customer_id" = t0."customer_id"
  JOIN "public"."line" AS t2 ON t2."order_id" = t1."order_id"
  WHERE t0."customer_id" = ANY($1::int8[])
  ORDER BY t2."line_id";

-- GET /t/customer_dv/2
-- level 0: customer
--   1: "{\"home\",\"city\"}"
--   2: "{\"rank\"}"
--   3: "{\"rank\"}"
--   4: "{\"rank\"}"
--   5: "{\"rank\"}"
--   6: "{\"rank\"}"
--   7: "{\"rank\"}"
--   8: "paid"
--   9: 2 (part 1 of the key)
SELECT t0."customer_id", t0."name", t0."note", (SELECT count(*)
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY a1_0."made" DESC
    LIMIT 1), (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY a1_0."made"
    LIMIT 1), trim_scale((SELECT round(sum(a1_0."ship")::numeric, 10)
      FROM "public"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), trim_scale((SELECT round(avg(a1_0."ship")::numeric, 10)
      FROM "public"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT sum(a1_1."quantity")::int8
    FROM "public"."orders" AS a1_0
    JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id"), (((((SELECT max(a1_1."quantity")
            FROM "public"."orders" AS a1_0
            JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
            WHERE a1_0."customer_id" = t0."customer_id"))::int8 * (2)::int8))::int8 - (1)::int8), trim_scale((SELECT round(avg(length((a1_1."product")::text))::numeric, 10)
      FROM "public"."orders" AS a1_0
      JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id")), (upper((t0."name")::text COLLATE "und-x-icu") COLLATE "C"), ((t0."note"::jsonb #>> $1::text::text[]) COLLATE "C"), trim_scale(((CASE WHEN length(((t0."note"::jsonb #>> $2::text::text[]) COLLATE "C")) <= 1000 AND (((t0."note"::jsonb #>> $3::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."note"::jsonb #>> $4::text::text[]) COLLATE "C"))::numeric END) + 1)), trim_scale(round(((- (CASE WHEN length(((t0."note"::jsonb #>> $5::text::text[]) COLLATE "C")) <= 1000 AND (((t0."note"::jsonb #>> $6::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((t0."note"::jsonb #>> $7::text::text[]) COLLATE "C"))::numeric END)))::numeric / nullif((2)::numeric, 0), 10)), (CASE WHEN round(((SELECT max(a1_0."ship")
          FROM "public"."orders" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::float8) > (SELECT max(a1_0."ship")
      FROM "public"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id") THEN (round(((SELECT max(a1_0."ship")
            FROM "public"."orders" AS a1_0
            WHERE a1_0."customer_id" = t0."customer_id"))::float8) - 1) ELSE round(((SELECT max(a1_0."ship")
          FROM "public"."orders" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::float8) END), (SELECT count(*)
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."state" = $8::text), (((SELECT count(DISTINCT a1_0."state")
        FROM "public"."orders" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id"))::int8 + (0)::int8), trim_scale(coalesce((SELECT round(sum((a1_1."price" * a1_1."quantity"))::numeric, 10)
        FROM "public"."orders" AS a1_0
        JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 0)), trim_scale(round((round(((SELECT round(sum(a1_1."price")::numeric, 10)
              FROM "public"."orders" AS a1_0
              JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
              WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship"))::numeric / nullif(((SELECT count(*)
                FROM "public"."orders" AS a1_0
                JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
                WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship"))::numeric, 0), 10))::numeric, (3)::int4)), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."customer" AS t0
  WHERE t0."customer_id" = ANY($9::int8[]);

-- level 1: orders
--   1: 2 (part 1 of the key)
SELECT t1."customer_id", t1."order_id", t1."made", t1."state", t1."ship", trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t1."order_id")), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id"), (SELECT a1_0."product"
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE "C"
    LIMIT 1), (SELECT a1_0."product"
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE "C" DESC
    LIMIT 1)
  FROM "public"."orders" AS t1
  WHERE t1."customer_id" = ANY($1::int8[])
  ORDER BY t1."order_id";

-- level 2: line
--   1: 2 (part 1 of the key)
SELECT t0."customer_id", t1."order_id", t2."line_id", t2."product", t2."price", t2."quantity", trim_scale((t2."price" * t2."quantity"))
  FROM "public"."customer" AS t0
  JOIN "public"."orders" AS t1 ON t1."customer_id" = t0."customer_id"
  JOIN "public"."line" AS t2 ON t2."order_id" = t1."order_id"
  WHERE t0."customer_id" = ANY($1::int8[])
  ORDER BY t2."line_id";

-- GET /t/customer_dv/?fields=_id,spent&q={"spent":{"$gt":1},"$orderby":{"spent":"DESC"}}
-- level 0: customer
--   1: "1"
--   2: 26
SELECT t0."customer_id", trim_scale(coalesce((SELECT round(sum((a1_1."price" * a1_1."quantity"))::numeric, 10)
        FROM "public"."orders" AS a1_0
        JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 0))
  FROM "public"."customer" AS t0
  WHERE trim_scale(coalesce((SELECT round(sum((a1_1."price" * a1_1."quantity"))::numeric, 10)
        FROM "public"."orders" AS a1_0
        JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 0)) > $1::numeric
  ORDER BY trim_scale(coalesce((SELECT round(sum((a1_1."price" * a1_1."quantity"))::numeric, 10)
        FROM "public"."orders" AS a1_0
        JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 0)) DESC NULLS LAST, t0."customer_id"
  LIMIT $2::int8;

-- GET /t/customer_dv/?fields=_id,first&q={"$orderby":{"first":"DESC"}}
-- level 0: customer
SELECT t0."customer_id", (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY a1_0."made"
    LIMIT 1)
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY a1_0."made"
    LIMIT 1) DESC NULLS LAST, t0."customer_id"
  LIMIT 26;

-- GET /t/customer_dv/?fields=_id&q={"orders.total":{"$gt":0.4}}
-- level 0: customer
--   1: "0.4"
--   2: 26
SELECT t0."customer_id"
  FROM "public"."customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."orders" AS t1
    WHERE t1."customer_id" = t0."customer_id" AND trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
        FROM "public"."line" AS a1_0
        WHERE a1_0."order_id" = t1."order_id")) > $1::numeric)
  ORDER BY t0."customer_id"
  LIMIT $2::int8;

-- GET /t/customer_dv/?fields=_id&q={"orders.first":"Nut"}
-- level 0: customer
--   1: "Nut"
--   2: 26
SELECT t0."customer_id"
  FROM "public"."customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."orders" AS t1
    WHERE t1."customer_id" = t0."customer_id" AND (SELECT a1_0."product"
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
      ORDER BY a1_0."product" COLLATE "C"
      LIMIT 1) = $1::text)
  ORDER BY t0."customer_id"
  LIMIT $2::int8;

-- GET /t/order_dv/
-- level 0: orders
--   1: "{\"home\",\"city\"}"
--   2: "{\"rank\"}"
--   3: "{\"rank\"}"
--   4: "{\"rank\"}"
--   5: 26
SELECT t0."order_id", t1."customer_id", t1."name", (lower(((SELECT a1_0."name"
          FROM "public"."customer" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT ((a1_0."note"::jsonb #>> $1::text::text[]) COLLATE "C")
    FROM "public"."customer" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), trim_scale((SELECT (CASE WHEN length(((a1_0."note"::jsonb #>> $2::text::text[]) COLLATE "C")) <= 1000 AND (((a1_0."note"::jsonb #>> $3::text::text[]) COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((a1_0."note"::jsonb #>> $4::text::text[]) COLLATE "C"))::numeric END)
      FROM "public"."customer" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT count(a1_0."price")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 0.05), t0."made", t0."made", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."orders" AS t0
  LEFT JOIN "public"."customer" AS t1 ON t1."customer_id" = t0."customer_id"
  WHERE TRUE
  ORDER BY t0."order_id"
  LIMIT $5::int8;

-- level 1: line
--   1: part 1 of the keys that level 0 has brought
SELECT t2."order_id", t2."line_id", t2."price"
  FROM "public"."line" AS t2
  WHERE t2."order_id" = ANY($1::int8[]) AND t2."price" > 0.05
  ORDER BY t2."line_id";

-- GET /t/order_dv/?fields=_id,who,home&q={"who":{"$like":"a%"}}
-- level 0: orders
--   1: "{\"home\",\"city\"}"
--   2: "a%"
--   3: 26
SELECT t0."order_id", (lower(((SELECT a1_0."name"
          FROM "public"."customer" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT ((a1_0."note"::jsonb #>> $1::text::text[]) COLLATE "C")
    FROM "public"."customer" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id")
  FROM "public"."orders" AS t0
  WHERE ((lower(((SELECT a1_0."name"
            FROM "public"."customer" AS a1_0
            WHERE a1_0."customer_id" = t0."customer_id"))::text COLLATE "und-x-icu") COLLATE "C"))::text LIKE $2::text
  ORDER BY t0."order_id"
  LIMIT $3::int8;

-- GET /t/line_dv/?fields=_id,shout,when,day&q={"shout":"ANN"}
-- level 0: line
--   1: "ANN"
--   2: 26
SELECT t0."line_id", (upper(((SELECT a1_1."name"
          FROM "public"."orders" AS a1_0
          JOIN "public"."customer" AS a1_1 ON a1_1."customer_id" = a1_0."customer_id"
          WHERE a1_0."order_id" = t0."order_id"))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT a1_0."made"
    FROM "public"."orders" AS a1_0
    WHERE a1_0."order_id" = t0."order_id")
  FROM "public"."line" AS t0
  WHERE (upper(((SELECT a1_1."name"
          FROM "public"."orders" AS a1_0
          JOIN "public"."customer" AS a1_1 ON a1_1."customer_id" = a1_0."customer_id"
          WHERE a1_0."order_id" = t0."order_id"))::text COLLATE "und-x-icu") COLLATE "C") = $1::text
  ORDER BY t0."line_id"
  LIMIT $2::int8;

-- GET /t/sums_dv/
-- level 0: orders
SELECT t0."order_id", trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id")), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), trim_scale(coalesce((SELECT round(avg(a1_0."price")::numeric, 10)
        FROM "public"."line" AS a1_0
        WHERE a1_0."order_id" = t0."order_id"), 0)), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."orders" AS t0
  WHERE TRUE
  ORDER BY t0."order_id"
  LIMIT 26;

-- level 1: line
--   1: part 1 of the keys that level 0 has brought
SELECT t1."order_id", t1."line_id"
  FROM "public"."line" AS t1
  WHERE t1."order_id" = ANY($1::int8[])
  ORDER BY t1."line_id";

-- GET /t/sums_dv/?fields=_id,total&q={"total":{"$null":null}}
-- level 0: orders
SELECT t0."order_id", trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id"))
  FROM "public"."orders" AS t0
  WHERE (SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id") IS NULL
  ORDER BY t0."order_id"
  LIMIT 26;

-- GET /t/sums_dv/?fields=_id,total&limit=2&q={"$orderby":{"total":1}}
-- level 0: orders
SELECT t0."order_id", trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id"))
  FROM "public"."orders" AS t0
  WHERE TRUE
  ORDER BY trim_scale((SELECT round(sum((a1_0."price" * a1_0."quantity"))::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id")) NULLS LAST, t0."order_id"
  LIMIT 3;
