-- GET /t/order_dv/
-- level 0: orders
--   1: "lax $.\"codes\"[0]"
--   2: " "
--   3: "; "
--   4: ""
--   5: ""
--   6: ""
--   7: ", "
--   8: 26
SELECT t0."order_id", t1."customer_id", t1."name", (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1))), (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), trim_scale(((SELECT a1_0."price"
        FROM "public"."line" AS a1_0
        WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
            FROM "public"."line" AS a2_0
            WHERE a2_0."order_id" = t0."order_id"
            ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
            LIMIT 1 OFFSET 1))) + 1)), (SELECT a1_0."made"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), (upper(((SELECT a1_1."name"
          FROM "public"."line" AS a1_0
          JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
          WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
              FROM "public"."line" AS a2_0
              WHERE a2_0."order_id" = t0."order_id"
              ORDER BY a2_0."order_id", a2_0."number"
              LIMIT 1))))::text COLLATE "und-x-icu") COLLATE "C"), (upper(((SELECT a1_1."name"
          FROM "public"."line" AS a1_0
          JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
          WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
              FROM "public"."line" AS a2_0
              WHERE a2_0."order_id" = t0."order_id"
              ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
              LIMIT 1))))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT ((jsonb_path_query_first(jsonb_path_query_array((a1_1."more"::jsonb)::jsonb, $1::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 3)))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 1) OR (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 1)))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 9007199254740992 OFFSET 1) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 9007199254740992 OFFSET 1)))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id" AND (TRUE))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 9007199254740992 OFFSET 1))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 4) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 3))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 3))), (SELECT count(a1_0."price")
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 1.9), (SELECT max(a1_0."price")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND (a1_0."price" > 0.05 AND (a1_0."number" = 1 OR (NOT a1_0."made" IS NULL)))), (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1)) AND a1_0."price" > 1), (upper(((SELECT a1_0."name"
          FROM "public"."customer" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT string_agg(((((((a1_0."number")::text || ($2::text)::text) COLLATE "C"))::text || (a1_1."name")::text) COLLATE "C"), $3::text
      ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE "C" NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE a1_0."order_id" = t0."order_id"), (SELECT string_agg((((a1_0."number")::text || ($4::text)::text) COLLATE "C"), $5::text
      ORDER BY a1_0."made" NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), (SELECT string_agg((((a1_0."number")::text || ($6::text)::text) COLLATE "C"), $7::text
      ORDER BY a1_0."number" NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 100), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."orders" AS t0
  LEFT JOIN "public"."customer" AS t1 ON t1."customer_id" = t0."customer_id"
  WHERE TRUE
  ORDER BY t0."order_id"
  LIMIT $8::int8;

-- level 1: line
--   1: part 1 of the keys that level 0 has brought
SELECT t2."order_id", t2."order_id", t2."number", t2."price", t2."made", t3."product_id", t3."name", t3."more"
  FROM "public"."line" AS t2
  LEFT JOIN "public"."product" AS t3 ON t3."product_id" = t2."product_id"
  WHERE t2."order_id" = ANY($1::int8[])
  ORDER BY t2."order_id", t2."number";

-- GET /t/order_dv/21
-- level 0: orders
--   1: "lax $.\"codes\"[0]"
--   2: " "
--   3: "; "
--   4: ""
--   5: ""
--   6: ""
--   7: ", "
--   8: 21 (part 1 of the key)
SELECT t0."order_id", t1."customer_id", t1."name", (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1))), (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), trim_scale(((SELECT a1_0."price"
        FROM "public"."line" AS a1_0
        WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
            FROM "public"."line" AS a2_0
            WHERE a2_0."order_id" = t0."order_id"
            ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
            LIMIT 1 OFFSET 1))) + 1)), (SELECT a1_0."made"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), (upper(((SELECT a1_1."name"
          FROM "public"."line" AS a1_0
          JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
          WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
              FROM "public"."line" AS a2_0
              WHERE a2_0."order_id" = t0."order_id"
              ORDER BY a2_0."order_id", a2_0."number"
              LIMIT 1))))::text COLLATE "und-x-icu") COLLATE "C"), (upper(((SELECT a1_1."name"
          FROM "public"."line" AS a1_0
          JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
          WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
              FROM "public"."line" AS a2_0
              WHERE a2_0."order_id" = t0."order_id"
              ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
              LIMIT 1))))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT ((jsonb_path_query_first(jsonb_path_query_array((a1_1."more"::jsonb)::jsonb, $1::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 3)))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 1) OR (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 1)))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id", a2_0."number"
          LIMIT 9007199254740992 OFFSET 1) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
          FROM "public"."line" AS a2_0
          WHERE a2_0."order_id" = t0."order_id"
          ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
          LIMIT 9007199254740992 OFFSET 1)))), trim_scale((SELECT round(sum(a1_0."price")::numeric, 10)
      FROM "public"."line" AS a1_0
      WHERE a1_0."order_id" = t0."order_id" AND (TRUE))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 9007199254740992 OFFSET 1))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 4) AND (a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 3))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 3))), (SELECT count(a1_0."price")
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1 OFFSET 1))), (SELECT count(*)
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 1.9), (SELECT max(a1_0."price")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND (a1_0."price" > 0.05 AND (a1_0."number" = 1 OR (NOT a1_0."made" IS NULL)))), (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id", a2_0."number"
        LIMIT 1)) AND a1_0."price" > 1), (upper(((SELECT a1_0."name"
          FROM "public"."customer" AS a1_0
          WHERE a1_0."customer_id" = t0."customer_id"))::text COLLATE "und-x-icu") COLLATE "C"), (SELECT string_agg(((((((a1_0."number")::text || ($2::text)::text) COLLATE "C"))::text || (a1_1."name")::text) COLLATE "C"), $3::text
      ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE "C" NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE a1_0."order_id" = t0."order_id"), (SELECT string_agg((((a1_0."number")::text || ($4::text)::text) COLLATE "C"), $5::text
      ORDER BY a1_0."made" NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id"), (SELECT string_agg((((a1_0."number")::text || ($6::text)::text) COLLATE "C"), $7::text
      ORDER BY a1_0."number" NULLS LAST, a1_0."order_id", a1_0."number")
    FROM "public"."line" AS a1_0
    WHERE a1_0."order_id" = t0."order_id" AND a1_0."price" > 100), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."orders" AS t0
  LEFT JOIN "public"."customer" AS t1 ON t1."customer_id" = t0."customer_id"
  WHERE t0."order_id" = ANY($8::int8[]);

-- level 1: line
--   1: 21 (part 1 of the key)
SELECT t2."order_id", t2."order_id", t2."number", t2."price", t2."made", t3."product_id", t3."name", t3."more"
  FROM "public"."line" AS t2
  LEFT JOIN "public"."product" AS t3 ON t3."product_id" = t2."product_id"
  WHERE t2."order_id" = ANY($1::int8[])
  ORDER BY t2."order_id", t2."number";

-- GET /t/order_dv/?fields=_id,last&q={"last":{"$gt":1},"$orderby":{"last":"DESC"}}
-- level 0: orders
--   1: "1"
--   2: 26
SELECT t0."order_id", (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1)))
  FROM "public"."orders" AS t0
  WHERE (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))) > $1::numeric
  ORDER BY (SELECT a1_0."price"
    FROM "public"."line" AS a1_0
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))) DESC NULLS LAST, t0."order_id"
  LIMIT $2::int8;

-- GET /t/order_dv/?fields=_id,code&q={"code":"n1"}
-- level 0: orders
--   1: "lax $.\"codes\"[0]"
--   2: "lax $.\"codes\"[0]"
--   3: "n1"
--   4: 26
SELECT t0."order_id", (SELECT ((jsonb_path_query_first(jsonb_path_query_array((a1_1."more"::jsonb)::jsonb, $1::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1)))
  FROM "public"."orders" AS t0
  WHERE (SELECT ((jsonb_path_query_first(jsonb_path_query_array((a1_1."more"::jsonb)::jsonb, $2::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE ((a1_0."order_id", a1_0."number") IN (SELECT a2_0."order_id", a2_0."number"
        FROM "public"."line" AS a2_0
        WHERE a2_0."order_id" = t0."order_id"
        ORDER BY a2_0."order_id" DESC, a2_0."number" DESC
        LIMIT 1))) = $3::text
  ORDER BY t0."order_id"
  LIMIT $4::int8;

-- GET /t/customer_dv/
-- level 0: customer
--   1: "open"
--   2: 26
SELECT t0."customer_id", (SELECT a1_1."price"
    FROM "public"."orders" AS a1_0
    JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "public"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id"
        ORDER BY a2_0."order_id"
        LIMIT 1)) AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
        FROM "public"."line" AS a2_1
        WHERE a2_1."order_id" = a1_1."order_id"
        ORDER BY a2_1."order_id", a2_1."number"
        LIMIT 1))), (SELECT count(*)
    FROM "public"."orders" AS a1_0
    JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "public"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id"
        ORDER BY a2_0."order_id" DESC
        LIMIT 1))), trim_scale((SELECT round(sum(a1_1."price")::numeric, 10)
      FROM "public"."orders" AS a1_0
      JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
          FROM "public"."orders" AS a2_0
          WHERE a2_0."customer_id" = t0."customer_id"
          ORDER BY a2_0."order_id"
          LIMIT 2)) AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
          FROM "public"."line" AS a2_1
          WHERE a2_1."order_id" = a1_1."order_id"
          ORDER BY a2_1."order_id" DESC, a2_1."number" DESC
          LIMIT 1)))), trim_scale((SELECT round(sum(a1_1."price")::numeric, 10)
      FROM "public"."orders" AS a1_0
      JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id" AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
          FROM "public"."line" AS a2_1
          WHERE a2_1."order_id" = a1_1."order_id"
          ORDER BY a2_1."order_id", a2_1."number"
          LIMIT 1)))), (SELECT max(a1_1."price")
    FROM "public"."orders" AS a1_0
    JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
    WHERE a1_0."customer_id" = t0."customer_id" AND (a1_0."state" = $1::text AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
          FROM "public"."line" AS a2_1
          WHERE a2_1."order_id" = a1_1."order_id"
          ORDER BY a2_1."order_id", a2_1."number"
          LIMIT 1)))), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT $2::int8;

-- level 1: orders
--   1: part 1 of the keys that level 0 has brought
SELECT t1."customer_id", t1."order_id", t1."state"
  FROM "public"."orders" AS t1
  WHERE t1."customer_id" = ANY($1::int8[])
  ORDER BY t1."order_id";

-- level 2: line
--   1: part 1 of the keys that level 0 has brought
SELECT t0."customer_id", t1."order_id", t2."order_id", t2."number", t2."price"
  FROM "public"."customer" AS t0
  JOIN "public"."orders" AS t1 ON t1."customer_id" = t0."customer_id"
  JOIN "public"."line" AS t2 ON t2."order_id" = t1."order_id"
  WHERE t0."customer_id" = ANY($1::int8[])
  ORDER BY t2."order_id", t2."number";

-- GET /t/customer_dv/?fields=_id,firstOfEach&q={"$orderby":{"firstOfEach":"DESC"}}
-- level 0: customer
SELECT t0."customer_id", trim_scale((SELECT round(sum(a1_1."price")::numeric, 10)
      FROM "public"."orders" AS a1_0
      JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id" AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
          FROM "public"."line" AS a2_1
          WHERE a2_1."order_id" = a1_1."order_id"
          ORDER BY a2_1."order_id", a2_1."number"
          LIMIT 1))))
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY trim_scale((SELECT round(sum(a1_1."price")::numeric, 10)
      FROM "public"."orders" AS a1_0
      JOIN "public"."line" AS a1_1 ON a1_1."order_id" = a1_0."order_id"
      WHERE a1_0."customer_id" = t0."customer_id" AND ((a1_1."order_id", a1_1."number") IN (SELECT a2_1."order_id", a2_1."number"
          FROM "public"."line" AS a2_1
          WHERE a2_1."order_id" = a1_1."order_id"
          ORDER BY a2_1."order_id", a2_1."number"
          LIMIT 1)))) DESC NULLS LAST, t0."customer_id"
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
    FROM "public"."orders" AS a1_0
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "public"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id" AND a2_0."state" = $1::text
        ORDER BY a2_0."order_id"
        LIMIT 1 OFFSET 1)) AND a1_0."state" = $2::text), (SELECT a1_0."order_id"
    FROM "public"."orders" AS a1_0
    WHERE ((a1_0."order_id") IN (SELECT a2_0."order_id"
        FROM "public"."orders" AS a2_0
        WHERE a2_0."customer_id" = t0."customer_id" AND a2_0."state" = $3::text
        ORDER BY a2_0."order_id" DESC
        LIMIT 1)) AND a1_0."state" = $4::text), (CASE WHEN (t0."name")::text ~ $5::text THEN $6::text ELSE $7::text END), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."customer" AS t0
  WHERE TRUE AND (t0."name")::text ~ $8::text
  ORDER BY t0."customer_id"
  LIMIT $9::int8;

-- level 1: orders
--   1: "paid"
--   2: part 1 of the keys that level 0 has brought
--   3: "^[A-Cb-d][a-z]{1,2}$"
SELECT t0."customer_id", t1."order_id", t1."state"
  FROM "public"."customer" AS t0
  JOIN "public"."orders" AS t1 ON t1."customer_id" = t0."customer_id" AND t1."state" = $1::text
  WHERE t0."customer_id" = ANY($2::int8[]) AND (t0."name")::text ~ $3::text
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
SELECT t0."customer_id", (CASE WHEN (t0."name")::text ~ $1::text THEN $2::text ELSE $3::text END)
  FROM "public"."customer" AS t0
  WHERE (CASE WHEN (t0."name")::text ~ $4::text THEN $5::text ELSE $6::text END) = $7::text AND (t0."name")::text ~ $8::text
  ORDER BY t0."customer_id"
  LIMIT $9::int8;

-- GET /t/order_dv/?fields=_id,prices&q={"prices":{"$instr":"nut"}}
-- level 0: orders
--   1: " "
--   2: "; "
--   3: " "
--   4: "; "
--   5: "nut"
--   6: 26
SELECT t0."order_id", (SELECT string_agg(((((((a1_0."number")::text || ($1::text)::text) COLLATE "C"))::text || (a1_1."name")::text) COLLATE "C"), $2::text
      ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE "C" NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
    FROM "public"."line" AS a1_0
    JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
    WHERE a1_0."order_id" = t0."order_id")
  FROM "public"."orders" AS t0
  WHERE strpos(((SELECT string_agg(((((((a1_0."number")::text || ($3::text)::text) COLLATE "C"))::text || (a1_1."name")::text) COLLATE "C"), $4::text
          ORDER BY a1_0."price" DESC NULLS FIRST, a1_1."name" COLLATE "C" NULLS LAST, a1_0."order_id", a1_0."number", a1_1."product_id")
        FROM "public"."line" AS a1_0
        JOIN "public"."product" AS a1_1 ON a1_1."product_id" = a1_0."product_id"
        WHERE a1_0."order_id" = t0."order_id"))::text, $5::text) > 0
  ORDER BY t0."order_id"
  LIMIT $6::int8;

-- GET /t/note_dv/
-- level 0: customer
--   1: "lax $.\"items\"[0].\"price\""
--   2: "lax $.\"items\"[last].\"price\""
--   3: "lax $.\"items\"[last].\"price\""
--   4: "lax $.\"items\"[last].\"price\""
--   5: "{\"items\",\"price\"}"
--   6: "lax $.\"items\"[0].\"tags\"[last]"
--   7: "lax $.\"items\"[0].\"tags\""
--   8: "lax $.\"items\".size()"
--   9: "lax $.\"items\".size()"
--   10: "lax $.\"items\".size()"
--   11: "lax $.\"items\"[0].\"tags\".size()"
--   12: "lax $.\"items\"[0].\"tags\".size()"
--   13: "lax $.\"items\"[0].\"tags\".size()"
--   14: "lax $.\"home\"[1].\"city\""
--   15: "lax $.\"0\""
--   16: "lax $.\"sizes\"[0][1]"
--   17: "lax $.\"sizes\"[0][1]"
--   18: "lax $.\"sizes\"[0][1]"
--   19: "lax $[0].\"items\"[0].\"price\""
--   20: "lax $.\"items\"[last-1].\"price\""
--   21: "lax $.\"items\"[last-1].\"price\""
--   22: "lax $.\"items\"[last-1].\"price\""
--   23: "lax $.\"items\"[0].\"price\""
--   24: "lax $.\"items\"[0].\"price\""
--   25: "lax $.\"items\"[0].\"price\""
--   26: "yes"
--   27: "no"
--   28: 26
SELECT t0."customer_id", t0."note", ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $1::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"), trim_scale(((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $2::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $3::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $4::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END) + 1)), ((t0."note"::jsonb #>> $5::text::text[]) COLLATE "C"), ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $6::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"), ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $7::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"), trim_scale((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $8::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $9::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $10::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END)), trim_scale((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $11::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $12::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $13::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END)), ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $14::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"), ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $15::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"), trim_scale((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $16::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $17::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $18::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END)), ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $19::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"), trim_scale((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $20::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $21::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $22::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END)), (CASE WHEN (CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $23::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $24::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $25::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END) > 5 THEN $26::text ELSE $27::text END), (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT $28::int8;

-- GET /t/note_dv/?fields=_id,last&q={"last":{"$gte":5.5},"$orderby":{"price":1}}
-- level 0: customer
--   1: "lax $.\"items\"[last].\"price\""
--   2: "lax $.\"items\"[last].\"price\""
--   3: "lax $.\"items\"[last].\"price\""
--   4: "lax $.\"items\"[0].\"price\""
--   5: "lax $.\"items\"[last].\"price\""
--   6: "lax $.\"items\"[last].\"price\""
--   7: "lax $.\"items\"[last].\"price\""
--   8: "5.5"
--   9: "lax $.\"items\"[0].\"price\""
--   10: 26
SELECT t0."customer_id", trim_scale(((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $1::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $2::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $3::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END) + 1)), ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $4::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")
  FROM "public"."customer" AS t0
  WHERE trim_scale(((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $5::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $6::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $7::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END) + 1)) >= $8::numeric
  ORDER BY ((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $9::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C") NULLS LAST, t0."customer_id"
  LIMIT $10::int8;

-- GET /t/note_dv/?fields=_id,size&q={"$orderby":{"size":"DESC"}}
-- level 0: customer
--   1: "lax $.\"items\".size()"
--   2: "lax $.\"items\".size()"
--   3: "lax $.\"items\".size()"
--   4: "lax $.\"items\".size()"
--   5: "lax $.\"items\".size()"
--   6: "lax $.\"items\".size()"
--   7: 26
SELECT t0."customer_id", trim_scale((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $1::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $2::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $3::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END))
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY trim_scale((CASE WHEN length(((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $4::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) <= 1000 AND (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $5::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C")) ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN (((jsonb_path_query_first(jsonb_path_query_array((t0."note"::jsonb)::jsonb, $6::text::jsonpath, '{}', TRUE), 'strict $ ? (@.size() == 1)[0]') #>> '{}') COLLATE "C"))::numeric END)) DESC NULLS LAST, t0."customer_id"
  LIMIT $7::int8;
