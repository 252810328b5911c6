-- GET /ords/chinook/artist_dv/1
-- all levels
--   1: 1 (part 1 of the key)
(SELECT 0, t0."artist_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::text, NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::text, NULL::int4, NULL::numeric, NULL::int4, NULL::text
    FROM "public"."artist" AS t0
    WHERE t0."artist_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::xid8, t1."artist_id", t1."album_id", t1."title", NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::text, NULL::int4, NULL::numeric, NULL::int4, NULL::text
    FROM "public"."album" AS t1
    WHERE t1."artist_id" = ANY($1::int8[])
    ORDER BY t1."album_id")
  UNION ALL (SELECT 2, NULL::int4, NULL::text, NULL::xid8, NULL::int4, NULL::int4, NULL::text, t0."artist_id", t1."album_id", t2."track_id", t2."name", t2."composer", t2."milliseconds", t2."unit_price", t3."genre_id", t3."name"
    FROM "public"."artist" AS t0
    JOIN "public"."album" AS t1 ON t1."artist_id" = t0."artist_id"
    JOIN "public"."track" AS t2 ON t2."album_id" = t1."album_id"
    LEFT JOIN "public"."genre" AS t3 ON t3."genre_id" = t2."genre_id"
    WHERE t0."artist_id" = ANY($1::int8[])
    ORDER BY t2."track_id");

-- GET /ords/chinook/artist_dv/?limit=3&offset=20
-- level 0: artist
--   1: 4
--   2: 20
SELECT t0."artist_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."artist" AS t0
  WHERE TRUE
  ORDER BY t0."artist_id"
  LIMIT $1::int8 OFFSET $2::int8;

-- level 1: album
--   1: part 1 of the keys that level 0 has brought
SELECT t1."artist_id", t1."album_id", t1."title"
  FROM "public"."album" AS t1
  WHERE t1."artist_id" = ANY($1::int8[])
  ORDER BY t1."album_id";

-- level 2: track
--   1: part 1 of the keys that level 0 has brought
SELECT t0."artist_id", t1."album_id", t2."track_id", t2."name", t2."composer", t2."milliseconds", t2."unit_price", t3."genre_id", t3."name"
  FROM "public"."artist" AS t0
  JOIN "public"."album" AS t1 ON t1."artist_id" = t0."artist_id"
  JOIN "public"."track" AS t2 ON t2."album_id" = t1."album_id"
  LEFT JOIN "public"."genre" AS t3 ON t3."genre_id" = t2."genre_id"
  WHERE t0."artist_id" = ANY($1::int8[])
  ORDER BY t2."track_id";

-- GET /ords/chinook/artist_dv/25
-- all levels
--   1: 25 (part 1 of the key)
(SELECT 0, t0."artist_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::text, NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::text, NULL::int4, NULL::numeric, NULL::int4, NULL::text
    FROM "public"."artist" AS t0
    WHERE t0."artist_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::xid8, t1."artist_id", t1."album_id", t1."title", NULL::int4, NULL::int4, NULL::int4, NULL::text, NULL::text, NULL::int4, NULL::numeric, NULL::int4, NULL::text
    FROM "public"."album" AS t1
    WHERE t1."artist_id" = ANY($1::int8[])
    ORDER BY t1."album_id")
  UNION ALL (SELECT 2, NULL::int4, NULL::text, NULL::xid8, NULL::int4, NULL::int4, NULL::text, t0."artist_id", t1."album_id", t2."track_id", t2."name", t2."composer", t2."milliseconds", t2."unit_price", t3."genre_id", t3."name"
    FROM "public"."artist" AS t0
    JOIN "public"."album" AS t1 ON t1."artist_id" = t0."artist_id"
    JOIN "public"."track" AS t2 ON t2."album_id" = t1."album_id"
    LEFT JOIN "public"."genre" AS t3 ON t3."genre_id" = t2."genre_id"
    WHERE t0."artist_id" = ANY($1::int8[])
    ORDER BY t2."track_id");

-- GET /ords/chinook/artist_dv/?q={"albums.tracks.genre.name":"Opera"}&count=exact
-- level 0: artist
--   1: "Opera"
--   2: 26
SELECT t0."artist_id", t0."name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."artist" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."album" AS t1
    JOIN "public"."track" AS t2 ON t2."album_id" = t1."album_id"
    JOIN "public"."genre" AS t3 ON t3."genre_id" = t2."genre_id"
    WHERE t1."artist_id" = t0."artist_id" AND t3."name" = $1::text)
  ORDER BY t0."artist_id"
  LIMIT $2::int8;

-- level 1: album
--   1: part 1 of the keys that level 0 has brought
SELECT t1."artist_id", t1."album_id", t1."title"
  FROM "public"."album" AS t1
  WHERE t1."artist_id" = ANY($1::int8[])
  ORDER BY t1."album_id";

-- level 2: track
--   1: part 1 of the keys that level 0 has brought
SELECT t0."artist_id", t1."album_id", t2."track_id", t2."name", t2."composer", t2."milliseconds", t2."unit_price", t3."genre_id", t3."name"
  FROM "public"."artist" AS t0
  JOIN "public"."album" AS t1 ON t1."artist_id" = t0."artist_id"
  JOIN "public"."track" AS t2 ON t2."album_id" = t1."album_id"
  LEFT JOIN "public"."genre" AS t3 ON t3."genre_id" = t2."genre_id"
  WHERE t0."artist_id" = ANY($1::int8[])
  ORDER BY t2."track_id";

-- total
--   1: "Opera"
SELECT count(*)
  FROM "public"."artist" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."album" AS t1
    JOIN "public"."track" AS t2 ON t2."album_id" = t1."album_id"
    JOIN "public"."genre" AS t3 ON t3."genre_id" = t2."genre_id"
    WHERE t1."artist_id" = t0."artist_id" AND t3."name" = $1::text);

-- GET /ords/chinook/customer_dv/1
-- all levels
--   1: 1 (part 1 of the key)
(SELECT 0, t0."customer_id", t0."first_name", t0."last_name", t0."company", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."email", t1."employee_id", t1."first_name", t1."last_name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())), NULL::int4, NULL::int4, NULL::timestamp, NULL::numeric, NULL::int4, NULL::int4, NULL::int4, NULL::numeric, NULL::int4, NULL::int4, NULL::text, NULL::int4, NULL::text, NULL::int4, NULL::text
    FROM "public"."customer" AS t0
    LEFT JOIN "public"."employee" AS t1 ON t1."employee_id" = t0."support_rep_id"
    WHERE t0."customer_id" = ANY($1::int8[]))
  UNION ALL (SELECT 1, NULL::int4, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::int4, NULL::text, NULL::text, NULL::xid8, t2."customer_id", t2."invoice_id", t2."invoice_date", t2."total", NULL::int4, NULL::int4, NULL::int4, NULL::numeric, NULL::int4, NULL::int4, NULL::text, NULL::int4, NULL::text, NULL::int4, NULL::text
    FROM "public"."invoice" AS t2
    WHERE t2."customer_id" = ANY($1::int8[])
    ORDER BY t2."invoice_id")
  UNION ALL (SELECT 2, NULL::int4, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::int4, NULL::text, NULL::text, NULL::xid8, NULL::int4, NULL::int4, NULL::timestamp, NULL::numeric, t0."customer_id", t2."invoice_id", t3."invoice_line_id", t3."unit_price", t3."quantity", t4."track_id", t4."name", t5."album_id", t5."title", t6."artist_id", t6."name"
    FROM "public"."customer" AS t0
    JOIN "public"."invoice" AS t2 ON t2."customer_id" = t0."customer_id"
    JOIN "public"."invoice_line" AS t3 ON t3."invoice_id" = t2."invoice_id"
    LEFT JOIN "public"."track" AS t4 ON t4."track_id" = t3."track_id"
    LEFT JOIN "public"."album" AS t5 ON t5."album_id" = t4."album_id"
    LEFT JOIN "public"."artist" AS t6 ON t6."artist_id" = t5."artist_id"
    WHERE t0."customer_id" = ANY($1::int8[])
    ORDER BY t3."invoice_line_id");

-- GET /ords/chinook/customer_dv/?limit=2&q={"address.country":"France","$orderby":{"lastName":"DESC"}}
-- level 0: customer
--   1: "France"
--   2: 3
SELECT t0."customer_id", t0."first_name", t0."last_name", t0."company", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."email", t1."employee_id", t1."first_name", t1."last_name", (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
  FROM "public"."customer" AS t0
  LEFT JOIN "public"."employee" AS t1 ON t1."employee_id" = t0."support_rep_id"
  WHERE t0."country" = $1::text
  ORDER BY t0."last_name" DESC, t0."customer_id"
  LIMIT $2::int8;

-- level 1: invoice
--   1: part 1 of the keys that level 0 has brought
SELECT t2."customer_id", t2."invoice_id", t2."invoice_date", t2."total"
  FROM "public"."invoice" AS t2
  WHERE t2."customer_id" = ANY($1::int8[])
  ORDER BY t2."invoice_id";

-- level 2: invoice_line
--   1: part 1 of the keys that level 0 has brought
SELECT t0."customer_id", t2."invoice_id", t3."invoice_line_id", t3."unit_price", t3."quantity", t4."track_id", t4."name", t5."album_id", t5."title", t6."artist_id", t6."name"
  FROM "public"."customer" AS t0
  JOIN "public"."invoice" AS t2 ON t2."customer_id" = t0."customer_id"
  JOIN "public"."invoice_line" AS t3 ON t3."invoice_id" = t2."invoice_id"
  LEFT JOIN "public"."track" AS t4 ON t4."track_id" = t3."track_id"
  LEFT JOIN "public"."album" AS t5 ON t5."album_id" = t4."album_id"
  LEFT JOIN "public"."artist" AS t6 ON t6."artist_id" = t5."artist_id"
  WHERE t0."customer_id" = ANY($1::int8[])
  ORDER BY t3."invoice_line_id";

-- GET /ords/chinook/customer_dv/?fields=email&q={"invoices.lines.track.album.artist.name":"Iron Maiden","support.firstName":"Jane"}
-- level 0: customer
--   1: "Iron Maiden"
--   2: "Jane"
--   3: 26
SELECT t0."email", t0."customer_id"
  FROM "public"."customer" AS t0
  JOIN "public"."employee" AS t1 ON t1."employee_id" = t0."support_rep_id"
  WHERE (EXISTS (SELECT 1
      FROM "public"."invoice" AS t2
      JOIN "public"."invoice_line" AS t3 ON t3."invoice_id" = t2."invoice_id"
      JOIN "public"."track" AS t4 ON t4."track_id" = t3."track_id"
      JOIN "public"."album" AS t5 ON t5."album_id" = t4."album_id"
      JOIN "public"."artist" AS t6 ON t6."artist_id" = t5."artist_id"
      WHERE t2."customer_id" = t0."customer_id" AND t6."name" = $1::text) AND t1."first_name" = $2::text)
  ORDER BY t0."customer_id"
  LIMIT $3::int8;

-- GET /ords/chinook/customer_dv/?fields=lastName,invoices.total&q={"invoices.total":{"$gt":20}}&count=exact
-- level 0: customer
--   1: "20"
--   2: 26
SELECT t0."last_name", t0."customer_id"
  FROM "public"."customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."invoice" AS t2
    WHERE t2."customer_id" = t0."customer_id" AND t2."total" > $1::numeric)
  ORDER BY t0."customer_id"
  LIMIT $2::int8;

-- level 1: invoice
--   1: part 1 of the keys that level 0 has brought
SELECT t2."customer_id", t2."total"
  FROM "public"."invoice" AS t2
  WHERE t2."customer_id" = ANY($1::int8[])
  ORDER BY t2."invoice_id";

-- total
--   1: "20"
SELECT count(*)
  FROM "public"."customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."invoice" AS t2
    WHERE t2."customer_id" = t0."customer_id" AND t2."total" > $1::numeric);
