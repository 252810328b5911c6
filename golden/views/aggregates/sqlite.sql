-- GET /t/customer_dv/
-- level 0: customer
--   1: "[\"exists\",[\"home\",\"city\"]]"
--   2: "[\"exists\",[\"rank\"]]"
--   3: "[\"exists\",[\"rank\"]]"
--   4: "paid"
--   5: 26
SELECT t0."customer_id", t0."name", t0."note", (SELECT count(*)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT a1_0."made"
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY duet_timestamp(a1_0."made") DESC
    LIMIT 1), (SELECT a1_0."made"
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY duet_timestamp(a1_0."made")
    LIMIT 1), (SELECT round(sum(a1_0."ship"), 10)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT round(avg(a1_0."ship"), 10)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT sum(a1_1."quantity")
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id"), duet_subtract_whole(duet_multiply_whole((SELECT max(a1_1."quantity")
        FROM "main"."orders" AS a1_0
        JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 2), 1), (SELECT round(avg(duet_length(a1_1."product")), 10)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id"), duet_upper(t0."name"), duet_member(t0."note", ?1), duet_add_decimal(CAST(duet_number(duet_member(t0."note", ?2)) AS NUMERIC), 1), duet_divide(duet_negate(CAST(duet_number(duet_member(t0."note", ?3)) AS NUMERIC)), 2), (CASE WHEN duet_round_float((SELECT max(a1_0."ship")
        FROM "main"."orders" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id")) > (SELECT max(a1_0."ship")
      FROM "main"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id") THEN duet_subtract_float(duet_round_float((SELECT max(a1_0."ship")
          FROM "main"."orders" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id")), 1) ELSE duet_round_float((SELECT max(a1_0."ship")
        FROM "main"."orders" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id")) END), (SELECT count(*)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."state" = ?4), duet_add_whole((SELECT count(DISTINCT a1_0."state")
      FROM "main"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id"), 0), coalesce((SELECT round(sum(duet_multiply_decimal(a1_1."price", a1_1."quantity")), 10)
      FROM "main"."orders" AS a1_0
      JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id"), 0), duet_round(duet_divide((SELECT round(sum(a1_1."price"), 10)
        FROM "main"."orders" AS a1_0
        JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship"), (SELECT count(*)
        FROM "main"."orders" AS a1_0
        JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship")), 3), NULL
  FROM "main"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT ?5;

-- level 1: orders
--   1: part 1 of the keys that level 0 has brought
SELECT t1."customer_id", t1."order_id", t1."made", t1."state", t1."ship", (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id"), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id"), (SELECT a1_0."product"
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE BINARY
    LIMIT 1), (SELECT a1_0."product"
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE BINARY DESC
    LIMIT 1)
  FROM "main"."orders" AS t1
  WHERE t1."customer_id" = ?1
  ORDER BY t1."order_id";

-- level 2: line
--   1: part 1 of the keys that level 0 has brought
SELECT t0."customer_id", t1."order_id", t2."line_id", t2."product", t2."price", t2."quantity", duet_multiply_decimal(t2."price", t2."quantity")
  FROM "main"."customer" AS t0
  JOIN "main"."orders" AS t1 ON t1."customer_id" = t0."customer_id"
  JOIN "main"."line" AS t2 ON t2."order_id" = t1."order_id"
  WHERE t0."customer_id" = ?1
  ORDER BY t2."line_id";

-- GET /t/customer_dv/2
-- level 0: customer
--   1: "[\"exists\",[\"home\",\"city\"]]"
--   2: "[\"exists\",[\"rank\"]]"
--   3: "[\"exists\",[\"rank\"]]"
--   4: "paid"
--   5: 2 (part 1 of the key)
SELECT t0."customer_id", t0."name", t0."note", (SELECT count(*)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT a1_0."made"
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY duet_timestamp(a1_0."made") DESC
    LIMIT 1), (SELECT a1_0."made"
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY duet_timestamp(a1_0."made")
    LIMIT 1), (SELECT round(sum(a1_0."ship"), 10)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT round(avg(a1_0."ship"), 10)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT sum(a1_1."quantity")
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id"), duet_subtract_whole(duet_multiply_whole((SELECT max(a1_1."quantity")
        FROM "main"."orders" AS a1_0
        JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id"), 2), 1), (SELECT round(avg(duet_length(a1_1."product")), 10)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id"), duet_upper(t0."name"), duet_member(t0."note", ?1), duet_add_decimal(CAST(duet_number(duet_member(t0."note", ?2)) AS NUMERIC), 1), duet_divide(duet_negate(CAST(duet_number(duet_member(t0."note", ?3)) AS NUMERIC)), 2), (CASE WHEN duet_round_float((SELECT max(a1_0."ship")
        FROM "main"."orders" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id")) > (SELECT max(a1_0."ship")
      FROM "main"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id") THEN duet_subtract_float(duet_round_float((SELECT max(a1_0."ship")
          FROM "main"."orders" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id")), 1) ELSE duet_round_float((SELECT max(a1_0."ship")
        FROM "main"."orders" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id")) END), (SELECT count(*)
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."state" = ?4), duet_add_whole((SELECT count(DISTINCT a1_0."state")
      FROM "main"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id"), 0), coalesce((SELECT round(sum(duet_multiply_decimal(a1_1."price", a1_1."quantity")), 10)
      FROM "main"."orders" AS a1_0
      JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id"), 0), duet_round(duet_divide((SELECT round(sum(a1_1."price"), 10)
        FROM "main"."orders" AS a1_0
        JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship"), (SELECT count(*)
        FROM "main"."orders" AS a1_0
        JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
        WHERE a1_0."customer_id" = t0."customer_id" AND a1_1."price" > a1_0."ship")), 3), NULL
  FROM "main"."customer" AS t0
  WHERE t0."customer_id" = ?5;

-- level 1: orders
--   1: 2 (part 1 of the key)
SELECT t1."customer_id", t1."order_id", t1."made", t1."state", t1."ship", (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id"), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id"), (SELECT a1_0."product"
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE BINARY
    LIMIT 1), (SELECT a1_0."product"
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
    ORDER BY a1_0."product" COLLATE BINARY DESC
    LIMIT 1)
  FROM "main"."orders" AS t1
  WHERE t1."customer_id" = ?1
  ORDER BY t1."order_id";

-- level 2: line
--   1: 2 (part 1 of the key)
SELECT t0."customer_id", t1."order_id", t2."line_id", t2."product", t2."price", t2."quantity", duet_multiply_decimal(t2."price", t2."quantity")
  FROM "main"."customer" AS t0
  JOIN "main"."orders" AS t1 ON t1."customer_id" = t0."customer_id"
  JOIN "main"."line" AS t2 ON t2."order_id" = t1."order_id"
  WHERE t0."customer_id" = ?1
  ORDER BY t2."line_id";

-- GET /t/customer_dv/?fields=_id,spent&q={"spent":{"$gt":1},"$orderby":{"spent":"DESC"}}
-- level 0: customer
--   1: "1"
--   2: 26
SELECT t0."customer_id", coalesce((SELECT round(sum(duet_multiply_decimal(a1_1."price", a1_1."quantity")), 10)
      FROM "main"."orders" AS a1_0
      JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id"), 0)
  FROM "main"."customer" AS t0
  WHERE coalesce((SELECT round(sum(duet_multiply_decimal(a1_1."price", a1_1."quantity")), 10)
      FROM "main"."orders" AS a1_0
      JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id"), 0) > ?1
  ORDER BY coalesce((SELECT round(sum(duet_multiply_decimal(a1_1."price", a1_1."quantity")), 10)
      FROM "main"."orders" AS a1_0
      JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id"), 0) DESC NULLS LAST, t0."customer_id"
  LIMIT ?2;

-- GET /t/customer_dv/?fields=_id,first&q={"$orderby":{"first":"DESC"}}
-- level 0: customer
SELECT t0."customer_id", (SELECT a1_0."made"
    FROM "main"."orders" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
    ORDER BY duet_timestamp(a1_0."made")
    LIMIT 1)
  FROM "main"."customer" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp((SELECT a1_0."made"
      FROM "main"."orders" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id" AND a1_0."made" IS NOT NULL
      ORDER BY duet_timestamp(a1_0."made")
      LIMIT 1)) DESC NULLS LAST, t0."customer_id"
  LIMIT 26;

-- GET /t/customer_dv/?fields=_id&q={"orders.total":{"$gt":0.4}}
-- level 0: customer
--   1: "0.4"
--   2: 26
SELECT t0."customer_id"
  FROM "main"."customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."orders" AS t1
    WHERE t1."customer_id" = t0."customer_id" AND (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
      FROM "main"."line" AS a1_0
      WHERE a1_0."order_id" = t1."order_id") > ?1)
  ORDER BY t0."customer_id"
  LIMIT ?2;

-- GET /t/customer_dv/?fields=_id&q={"orders.first":"Nut"}
-- level 0: customer
--   1: "Nut"
--   2: 26
SELECT t0."customer_id"
  FROM "main"."customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."orders" AS t1
    WHERE t1."customer_id" = t0."customer_id" AND (SELECT a1_0."product"
      FROM "main"."line" AS a1_0
      WHERE a1_0."order_id" = t1."order_id" AND a1_0."product" IS NOT NULL
      ORDER BY a1_0."product" COLLATE BINARY
      LIMIT 1) = ?1)
  ORDER BY t0."customer_id"
  LIMIT ?2;

-- GET /t/order_dv/
-- level 0: orders
--   1: "[\"exists\",[\"home\",\"city\"]]"
--   2: "[\"exists\",[\"rank\"]]"
--   3: 26
SELECT t0."order_id", t1."customer_id", t1."name", duet_lower((SELECT a1_0."name"
      FROM "main"."customer" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT duet_member(a1_0."note", ?1)
    FROM "main"."customer" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT CAST(duet_number(duet_member(a1_0."note", ?2)) AS NUMERIC)
    FROM "main"."customer" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id"), (SELECT count(a1_0."price")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 0.05), t0."made", t0."made", NULL
  FROM "main"."orders" AS t0
  LEFT JOIN "main"."customer" AS t1 ON t1."customer_id" = t0."customer_id"
  WHERE TRUE
  ORDER BY t0."order_id"
  LIMIT ?3;

-- level 1: line
--   1: part 1 of the keys that level 0 has brought
SELECT t2."order_id", t2."line_id", t2."price"
  FROM "main"."line" AS t2
  WHERE t2."order_id" = ?1 AND t2."price" > 0.05
  ORDER BY t2."line_id";

-- GET /t/order_dv/?fields=_id,who,home&q={"who":{"$like":"a%"}}
-- level 0: orders
--   1: "[\"exists\",[\"home\",\"city\"]]"
--   2: "a%"
--   3: 26
SELECT t0."order_id", duet_lower((SELECT a1_0."name"
      FROM "main"."customer" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT duet_member(a1_0."note", ?1)
    FROM "main"."customer" AS a1_0
    WHERE a1_0."customer_id" = t0."customer_id")
  FROM "main"."orders" AS t0
  WHERE duet_like(duet_lower((SELECT a1_0."name"
        FROM "main"."customer" AS a1_0
        WHERE a1_0."customer_id" = t0."customer_id")), ?2)
  ORDER BY t0."order_id"
  LIMIT ?3;

-- GET /t/line_dv/?fields=_id,shout,when,day&q={"shout":"ANN"}
-- level 0: line
--   1: "ANN"
--   2: 26
SELECT t0."line_id", duet_upper((SELECT a1_1."name"
      FROM "main"."orders" AS a1_0
      JOIN "main"."customer" AS a1_1 ON a1_1."customer_id" = a1_0."customer_id"
      WHERE a1_0."order_id" = t0."order_id")), (SELECT a1_0."made"
    FROM "main"."orders" AS a1_0
    WHERE a1_0."order_id" = t0."order_id")
  FROM "main"."line" AS t0
  WHERE duet_upper((SELECT a1_1."name"
      FROM "main"."orders" AS a1_0
      JOIN "main"."customer" AS a1_1 ON a1_1."customer_id" = a1_0."customer_id"
      WHERE a1_0."order_id" = t0."order_id")) = ?1
  ORDER BY t0."line_id"
  LIMIT ?2;

-- GET /t/sums_dv/
-- level 0: orders
SELECT t0."order_id", (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), coalesce((SELECT round(avg(a1_0."price"), 10)
      FROM "main"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id"), 0), NULL
  FROM "main"."orders" AS t0
  WHERE TRUE
  ORDER BY t0."order_id"
  LIMIT 26;

-- level 1: line
--   1: part 1 of the keys that level 0 has brought
SELECT t1."order_id", t1."line_id"
  FROM "main"."line" AS t1
  WHERE t1."order_id" = ?1
  ORDER BY t1."line_id";

-- GET /t/sums_dv/?fields=_id,total&q={"total":{"$null":null}}
-- level 0: orders
SELECT t0."order_id", (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id")
  FROM "main"."orders" AS t0
  WHERE (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id") IS NULL
  ORDER BY t0."order_id"
  LIMIT 26;

-- GET /t/sums_dv/?fields=_id,total&limit=2&q={"$orderby":{"total":1}}
-- level 0: orders
SELECT t0."order_id", (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id")
  FROM "main"."orders" AS t0
  WHERE TRUE
  ORDER BY (SELECT round(sum(duet_multiply_decimal(a1_0."price", a1_0."quantity")), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id") NULLS LAST, t0."order_id"
  LIMIT 3;
