-- GET /t/order_dv/
-- level 0: orders
--   1: "[\"codes\",0]"
--   2: " "
--   3: "; "
--   4: ""
--   5: ""
--   6: ""
--   7: ", "
--   8: 26
SELECT t0."order_id", t1."customer_id", t1."name", (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1))), (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), duet_add_decimal((SELECT a1_0."price"
      FROM "main"."line" AS a1_0
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "main"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 1 OFFSET 1))), 1), (SELECT a1_0."made"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), duet_upper((SELECT a1_1."name"
      FROM "main"."line" AS a1_0
      JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "main"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 1)))), duet_upper((SELECT a1_1."name"
      FROM "main"."line" AS a1_0
      JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "main"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 1)))), (SELECT duet_json_value(a1_1."more", ?1)
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 3))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1) OR (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 9007199254740992 OFFSET 1) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 9007199254740992 OFFSET 1))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND (TRUE)), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 9007199254740992 OFFSET 1))), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 4) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 3))), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 3))), (SELECT count(a1_0."price")
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 1.9), (SELECT max(a1_0."price")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND (a1_0."price" > 0.05 AND (a1_0."number" = 1 OR (NOT a1_0."made" IS NULL)))), (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1)) AND a1_0."price" > 1), duet_upper((SELECT a1_0."name"
      FROM "main"."customer" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT group_concat(((a1_0."number" || ?2) || a1_1."name"), ?3
      ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE BINARY NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE a1_0."order_id" = t0."order_id"), (SELECT group_concat((a1_0."number" || ?4), ?5
      ORDER BY duet_timestamp(a1_0."made") NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), (SELECT group_concat((a1_0."number" || ?6), ?7
      ORDER BY a1_0."number" NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 100), NULL
  FROM "main"."orders" AS t0
  LEFT JOIN "main"."customer" AS t1 ON t1."customer_id" = t0."customer_id"
  WHERE TRUE
  ORDER BY t0."order_id"
  LIMIT ?8;

-- level 1: line
--   1: part 1 of the keys that level 0 has brought
SELECT t2."order_id", t2."order_id", t2."number", t2."price", t2."made", t3."product_id", t3."name", t3."more"
  FROM "main"."line" AS t2
  LEFT JOIN "main"."product" AS t3 ON t3."product_id" = t2."product_id"
  WHERE t2."order_id" = ?1
  ORDER BY t2."order_id", t2."number";

-- GET /t/order_dv/21
-- level 0: orders
--   1: "[\"codes\",0]"
--   2: " "
--   3: "; "
--   4: ""
--   5: ""
--   6: ""
--   7: ", "
--   8: 21 (part 1 of the key)
SELECT t0."order_id", t1."customer_id", t1."name", (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1))), (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), duet_add_decimal((SELECT a1_0."price"
      FROM "main"."line" AS a1_0
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "main"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 1 OFFSET 1))), 1), (SELECT a1_0."made"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), duet_upper((SELECT a1_1."name"
      FROM "main"."line" AS a1_0
      JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "main"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 1)))), duet_upper((SELECT a1_1."name"
      FROM "main"."line" AS a1_0
      JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "main"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 1)))), (SELECT duet_json_value(a1_1."more", ?1)
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 3))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1) OR (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 9007199254740992 OFFSET 1) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 9007199254740992 OFFSET 1))), (SELECT round(sum(a1_0."price"), 10)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND (TRUE)), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 9007199254740992 OFFSET 1))), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 4) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 3))), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 3))), (SELECT count(a1_0."price")
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT count(*)
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 1.9), (SELECT max(a1_0."price")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND (a1_0."price" > 0.05 AND (a1_0."number" = 1 OR (NOT a1_0."made" IS NULL)))), (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1)) AND a1_0."price" > 1), duet_upper((SELECT a1_0."name"
      FROM "main"."customer" AS a1_0
      WHERE a1_0."customer_id" = t0."customer_id")), (SELECT group_concat(((a1_0."number" || ?2) || a1_1."name"), ?3
      ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE BINARY NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE a1_0."order_id" = t0."order_id"), (SELECT group_concat((a1_0."number" || ?4), ?5
      ORDER BY duet_timestamp(a1_0."made") NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), (SELECT group_concat((a1_0."number" || ?6), ?7
      ORDER BY a1_0."number" NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "main"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 100), NULL
  FROM "main"."orders" AS t0
  LEFT JOIN "main"."customer" AS t1 ON t1."customer_id" = t0."customer_id"
  WHERE t0."order_id" = ?8;

-- level 1: line
--   1: 21 (part 1 of the key)
SELECT t2."order_id", t2."order_id", t2."number", t2."price", t2."made", t3."product_id", t3."name", t3."more"
  FROM "main"."line" AS t2
  LEFT JOIN "main"."product" AS t3 ON t3."product_id" = t2."product_id"
  WHERE t2."order_id" = ?1
  ORDER BY t2."order_id", t2."number";

-- GET /t/order_dv/?fields=_id,last&q={"last":{"$gt":1},"$orderby":{"last":"DESC"}}
-- level 0: orders
--   1: "1"
--   2: 26
SELECT t0."order_id", (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1)))
  FROM "main"."orders" AS t0
  WHERE (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))) > ?1
  ORDER BY (SELECT a1_0."price"
    FROM "main"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))) DESC NULLS LAST, t0."order_id"
  LIMIT ?2;

-- GET /t/order_dv/?fields=_id,code&q={"code":"n1"}
-- level 0: orders
--   1: "[\"codes\",0]"
--   2: "[\"codes\",0]"
--   3: "n1"
--   4: 26
SELECT t0."order_id", (SELECT duet_json_value(a1_1."more", ?1)
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1)))
  FROM "main"."orders" AS t0
  WHERE (SELECT duet_json_value(a1_1."more", ?2)
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "main"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))) = ?3
  ORDER BY t0."order_id"
  LIMIT ?4;

-- GET /t/customer_dv/
-- level 0: customer
--   1: "open"
--   2: 26
SELECT t0."customer_id", (SELECT a1_1."price"
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "main"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id"
        ORDER BY a2_0."order_id"
        LIMIT 1)) AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
        FROM "main"."line" AS a2_1
        WHERE a2_1."order_id" = a1_1."order_id"
        ORDER BY a2_1."order_id", a2_1."number"
        LIMIT 1))), (SELECT count(*)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "main"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id"
        ORDER BY a2_0."order_id" DESC
        LIMIT 1))), (SELECT round(sum(a1_1."price"), 10)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "main"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id"
        ORDER BY a2_0."order_id"
        LIMIT 2)) AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
        FROM "main"."line" AS a2_1
        WHERE a2_1."order_id" = a1_1."order_id"
        ORDER BY a2_1."order_id" DESC, a2_1."number" DESC
        LIMIT 1))), (SELECT round(sum(a1_1."price"), 10)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id" AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
        FROM "main"."line" AS a2_1
        WHERE a2_1."order_id" = a1_1."order_id"
        ORDER BY a2_1."order_id", a2_1."number"
        LIMIT 1))), (SELECT max(a1_1."price")
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id" AND (a1_0."state" = ?1 AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
          FROM "main"."line" AS a2_1
          WHERE a2_1."order_id" = a1_1."order_id"
          ORDER BY a2_1."order_id", a2_1."number"
          LIMIT 1)))), NULL
  FROM "main"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT ?2;

-- level 1: orders
--   1: part 1 of the keys that level 0 has brought
SELECT t1."customer_id", t1."order_id", t1."state"
  FROM "main"."orders" AS t1
  WHERE t1."customer_id" = ?1
  ORDER BY t1."order_id";

-- level 2: line
--   1: part 1 of the keys that level 0 has brought
SELECT t0."customer_id", t1."order_id", t2."order_id", t2."number", t2."price"
  FROM "main"."customer" AS t0
  JOIN "main"."orders" AS t1 ON t1."customer_id" = t0."customer_id"
  JOIN "main"."line" AS t2 ON t2."order_id" = t1."order_id"
  WHERE t0."customer_id" = ?1
  ORDER BY t2."order_id", t2."number";

-- GET /t/customer_dv/?fields=_id,firstOfEach&q={"$orderby":{"firstOfEach":"DESC"}}
-- level 0: customer
SELECT t0."customer_id", (SELECT round(sum(a1_1."price"), 10)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id" AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
        FROM "main"."line" AS a2_1
        WHERE a2_1."order_id" = a1_1."order_id"
        ORDER BY a2_1."order_id", a2_1."number"
        LIMIT 1)))
  FROM "main"."customer" AS t0
  WHERE TRUE
  ORDER BY (SELECT round(sum(a1_1."price"), 10)
    FROM "main"."orders" AS a1_0
    JOIN "main"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id" AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
        FROM "main"."line" AS a2_1
        WHERE a2_1."order_id" = a1_1."order_id"
        ORDER BY a2_1."order_id", a2_1."number"
        LIMIT 1))) DESC NULLS LAST, t0."customer_id"
  LIMIT 26;

-- GET /t/paid_dv/
-- level 0: customer
--   1: "paid"
--   2: "paid"
--   3: "paid"
--   4: "paid"
--   5: "(?:n|y){2}|^C"
--   6: "yes"
--   7: "no"
--   8: "^[A-Cb-d][a-z]{1,2}$"
--   9: 26
SELECT t0."customer_id", (SELECT a1_0."order_id"
    FROM "main"."orders" AS a1_0
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "main"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id" AND a2_0."state" = ?1
        ORDER BY a2_0."order_id"
        LIMIT 1 OFFSET 1)) AND a1_0."state" = ?2), (SELECT a1_0."order_id"
    FROM "main"."orders" AS a1_0
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "main"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id" AND a2_0."state" = ?3
        ORDER BY a2_0."order_id" DESC
        LIMIT 1)) AND a1_0."state" = ?4), (CASE WHEN duet_regex(t0."name", ?5) THEN ?6 ELSE ?7 END), NULL
  FROM "main"."customer" AS t0
  WHERE TRUE AND duet_regex(t0."name", ?8)
  ORDER BY t0."customer_id"
  LIMIT ?9;

-- level 1: orders
--   1: "paid"
--   2: part 1 of the keys that level 0 has brought
--   3: "^[A-Cb-d][a-z]{1,2}$"
SELECT t0."customer_id", t1."order_id", t1."state"
  FROM "main"."customer" AS t0
  JOIN "main"."orders" AS t1 ON t1."customer_id" = t0."customer_id" AND t1."state" = ?1
  WHERE t0."customer_id" = ?2 AND duet_regex(t0."name", ?3)
  ORDER BY t1."order_id";

-- GET /t/paid_dv/?fields=_id,short&q={"short":"yes"}
-- level 0: customer
--   1: "(?:n|y){2}|^C"
--   2: "yes"
--   3: "no"
--   4: "(?:n|y){2}|^C"
--   5: "yes"
--   6: "no"
--   7: "yes"
--   8: "^[A-Cb-d][a-z]{1,2}$"
--   9: 26
SELECT t0."customer_id", (CASE WHEN duet_regex(t0."name", ?1) THEN ?2 ELSE ?3 END)
  FROM "main"."customer" AS t0
  WHERE (CASE WHEN duet_regex(t0."name", ?4) THEN ?5 ELSE ?6 END) = ?7 AND duet_regex(t0."name", ?8)
  ORDER BY t0."customer_id"
  LIMIT ?9;

-- GET /t/order_dv/?fields=_id,prices&q={"prices":{"$instr":"nut"}}
-- level 0: orders
--   1: " "
--   2: "; "
--   3: " "
--   4: "; "
--   5: "nut"
--   6: 26
SELECT t0."order_id", (SELECT group_concat(((a1_0."number" || ?1) || a1_1."name"), ?2
      ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE BINARY NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
    FROM "main"."line" AS a1_0
    JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE a1_0."order_id" = t0."order_id")
  FROM "main"."orders" AS t0
  WHERE duet_contains((SELECT group_concat(((a1_0."number" || ?3) || a1_1."name"), ?4
        ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE BINARY NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
      FROM "main"."line" AS a1_0
      JOIN "main"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
      WHERE a1_0."order_id" = t0."order_id"), ?5)
  ORDER BY t0."order_id"
  LIMIT ?6;

-- GET /t/note_dv/
-- level 0: customer
--   1: "[\"items\",0,\"price\"]"
--   2: "[\"items\",-1,\"price\"]"
--   3: "[\"exists\",[\"items\",\"price\"]]"
--   4: "[\"items\",0,\"tags\",-1]"
--   5: "[\"items\",0,\"tags\"]"
--   6: "[\"items\",true]"
--   7: "[\"items\",0,\"tags\",true]"
--   8: "[\"home\",1,\"city\"]"
--   9: "[\"0\"]"
--   10: "[\"sizes\",0,1]"
--   11: "[0,\"items\",0,\"price\"]"
--   12: "[\"items\",-2,\"price\"]"
--   13: "[\"items\",0,\"price\"]"
--   14: "yes"
--   15: "no"
--   16: 26
SELECT t0."customer_id", t0."note", duet_json_value(t0."note", ?1), duet_add_decimal(CAST(duet_number(duet_json_value(t0."note", ?2)) AS NUMERIC), 1), duet_member(t0."note", ?3), duet_json_value(t0."note", ?4), duet_json_value(t0."note", ?5), CAST(duet_number(duet_json_value(t0."note", ?6)) AS NUMERIC), CAST(duet_number(duet_json_value(t0."note", ?7)) AS NUMERIC), duet_json_value(t0."note", ?8), duet_json_value(t0."note", ?9), CAST(duet_number(duet_json_value(t0."note", ?10)) AS NUMERIC), duet_json_value(t0."note", ?11), CAST(duet_number(duet_json_value(t0."note", ?12)) AS NUMERIC), (CASE WHEN CAST(duet_number(duet_json_value(t0."note", ?13)) AS NUMERIC) > 5 THEN ?14 ELSE ?15 END), NULL
  FROM "main"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT ?16;

-- GET /t/note_dv/?fields=_id,last&q={"last":{"$gte":5.5},"$orderby":{"price":1}}
-- level 0: customer
--   1: "[\"items\",-1,\"price\"]"
--   2: "[\"items\",0,\"price\"]"
--   3: "[\"items\",-1,\"price\"]"
--   4: "5.5"
--   5: "[\"items\",0,\"price\"]"
--   6: 26
SELECT t0."customer_id", duet_add_decimal(CAST(duet_number(duet_json_value(t0."note", ?1)) AS NUMERIC), 1), duet_json_value(t0."note", ?2)
  FROM "main"."customer" AS t0
  WHERE duet_add_decimal(CAST(duet_number(duet_json_value(t0."note", ?3)) AS NUMERIC), 1) >= ?4
  ORDER BY duet_json_value(t0."note", ?5) NULLS LAST, t0."customer_id"
  LIMIT ?6;

-- GET /t/note_dv/?fields=_id,size&q={"$orderby":{"size":"DESC"}}
-- level 0: customer
--   1: "[\"items\",true]"
--   2: "[\"items\",true]"
--   3: 26
SELECT t0."customer_id", CAST(duet_number(duet_json_value(t0."note", ?1)) AS NUMERIC)
  FROM "main"."customer" AS t0
  WHERE TRUE
  ORDER BY CAST(duet_number(duet_json_value(t0."note", ?2)) AS NUMERIC) DESC NULLS LAST, t0."customer_id"
  LIMIT ?3;
