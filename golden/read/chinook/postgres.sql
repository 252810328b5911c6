-- GET /ords/chinook/album/
-- level 0: album
SELECT t0."album_id", t0."title", t0."artist_id"
  FROM "public"."album" AS t0
  WHERE TRUE
  ORDER BY t0."album_id"
  LIMIT 26;

-- GET /ords/chinook/album/1
-- level 0: album
--   1: 1 (part 1 of the key)
SELECT t0."album_id", t0."title", t0."artist_id"
  FROM "public"."album" AS t0
  WHERE t0."album_id" = ANY($1::int8[]);

-- GET /ords/chinook/artist/
-- level 0: artist
SELECT t0."artist_id", t0."name"
  FROM "public"."artist" AS t0
  WHERE TRUE
  ORDER BY t0."artist_id"
  LIMIT 26;

-- GET /ords/chinook/artist/1
-- level 0: artist
--   1: 1 (part 1 of the key)
SELECT t0."artist_id", t0."name"
  FROM "public"."artist" AS t0
  WHERE t0."artist_id" = ANY($1::int8[]);

-- GET /ords/chinook/customer/
-- level 0: customer
SELECT t0."customer_id", t0."first_name", t0."last_name", t0."company", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."phone", t0."fax", t0."email", t0."support_rep_id"
  FROM "public"."customer" AS t0
  WHERE TRUE
  ORDER BY t0."customer_id"
  LIMIT 26;

-- GET /ords/chinook/customer/1
-- level 0: customer
--   1: 1 (part 1 of the key)
SELECT t0."customer_id", t0."first_name", t0."last_name", t0."company", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."phone", t0."fax", t0."email", t0."support_rep_id"
  FROM "public"."customer" AS t0
  WHERE t0."customer_id" = ANY($1::int8[]);

-- GET /ords/chinook/employee/
-- level 0: employee
SELECT t0."employee_id", t0."last_name", t0."first_name", t0."title", t0."reports_to", t0."birth_date", t0."hire_date", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."phone", t0."fax", t0."email"
  FROM "public"."employee" AS t0
  WHERE TRUE
  ORDER BY t0."employee_id"
  LIMIT 26;

-- GET /ords/chinook/employee/1
-- level 0: employee
--   1: 1 (part 1 of the key)
SELECT t0."employee_id", t0."last_name", t0."first_name", t0."title", t0."reports_to", t0."birth_date", t0."hire_date", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."phone", t0."fax", t0."email"
  FROM "public"."employee" AS t0
  WHERE t0."employee_id" = ANY($1::int8[]);

-- GET /ords/chinook/genre/
-- level 0: genre
SELECT t0."genre_id", t0."name"
  FROM "public"."genre" AS t0
  WHERE TRUE
  ORDER BY t0."genre_id"
  LIMIT 26;

-- GET /ords/chinook/genre/1
-- level 0: genre
--   1: 1 (part 1 of the key)
SELECT t0."genre_id", t0."name"
  FROM "public"."genre" AS t0
  WHERE t0."genre_id" = ANY($1::int8[]);

-- GET /ords/chinook/invoice/?limit=19
-- level 0: invoice
--   1: 20
SELECT t0."invoice_id", t0."customer_id", t0."invoice_date", t0."billing_address", t0."billing_city", t0."billing_state", t0."billing_country", t0."billing_postal_code", t0."total"
  FROM "public"."invoice" AS t0
  WHERE TRUE
  ORDER BY t0."invoice_id"
  LIMIT $1::int8;

-- GET /ords/chinook/invoice/1
-- level 0: invoice
--   1: 1 (part 1 of the key)
SELECT t0."invoice_id", t0."customer_id", t0."invoice_date", t0."billing_address", t0."billing_city", t0."billing_state", t0."billing_country", t0."billing_postal_code", t0."total"
  FROM "public"."invoice" AS t0
  WHERE t0."invoice_id" = ANY($1::int8[]);

-- GET /ords/chinook/invoice_line/
-- level 0: invoice_line
SELECT t0."invoice_line_id", t0."invoice_id", t0."track_id", t0."unit_price", t0."quantity"
  FROM "public"."invoice_line" AS t0
  WHERE TRUE
  ORDER BY t0."invoice_line_id"
  LIMIT 26;

-- GET /ords/chinook/invoice_line/1
-- level 0: invoice_line
--   1: 1 (part 1 of the key)
SELECT t0."invoice_line_id", t0."invoice_id", t0."track_id", t0."unit_price", t0."quantity"
  FROM "public"."invoice_line" AS t0
  WHERE t0."invoice_line_id" = ANY($1::int8[]);

-- GET /ords/chinook/media_type/
-- level 0: media_type
SELECT t0."media_type_id", t0."name"
  FROM "public"."media_type" AS t0
  WHERE TRUE
  ORDER BY t0."media_type_id"
  LIMIT 26;

-- GET /ords/chinook/media_type/1
-- level 0: media_type
--   1: 1 (part 1 of the key)
SELECT t0."media_type_id", t0."name"
  FROM "public"."media_type" AS t0
  WHERE t0."media_type_id" = ANY($1::int8[]);

-- GET /ords/chinook/playlist/
-- level 0: playlist
SELECT t0."playlist_id", t0."name"
  FROM "public"."playlist" AS t0
  WHERE TRUE
  ORDER BY t0."playlist_id"
  LIMIT 26;

-- GET /ords/chinook/playlist/1
-- level 0: playlist
--   1: 1 (part 1 of the key)
SELECT t0."playlist_id", t0."name"
  FROM "public"."playlist" AS t0
  WHERE t0."playlist_id" = ANY($1::int8[]);

-- GET /ords/chinook/track/
-- level 0: track
SELECT t0."track_id", t0."name", t0."album_id", t0."media_type_id", t0."genre_id", t0."composer", t0."milliseconds", t0."bytes", t0."unit_price"
  FROM "public"."track" AS t0
  WHERE TRUE
  ORDER BY t0."track_id"
  LIMIT 26;

-- GET /ords/chinook/track/1
-- level 0: track
--   1: 1 (part 1 of the key)
SELECT t0."track_id", t0."name", t0."album_id", t0."media_type_id", t0."genre_id", t0."composer", t0."milliseconds", t0."bytes", t0."unit_price"
  FROM "public"."track" AS t0
  WHERE t0."track_id" = ANY($1::int8[]);

-- GET /ords/chinook/playlist_track/
-- level 0: playlist_track
SELECT t0."playlist_id", t0."track_id"
  FROM "public"."playlist_track" AS t0
  WHERE TRUE
  ORDER BY t0."playlist_id", t0."track_id"
  LIMIT 26;

-- GET /ords/chinook/playlist_track/1,1
-- level 0: playlist_track
--   1: 1 (part 1 of the key)
--   2: 1 (part 2 of the key)
SELECT k.ord, t0."playlist_id", t0."track_id"
  FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS k(k0, k1, ord)
  JOIN "public"."playlist_track" AS t0 ON t0."playlist_id" = k.k0 AND t0."track_id" = k.k1
  WHERE TRUE;

-- GET /ords/chinook/track/?q={"unit_price":{"$gt":0.99},"$orderby":{"name":"ASC"}}&limit=3&count=exact
-- level 0: track
--   1: "0.99"
--   2: 4
SELECT t0."track_id", t0."name", t0."album_id", t0."media_type_id", t0."genre_id", t0."composer", t0."milliseconds", t0."bytes", t0."unit_price"
  FROM "public"."track" AS t0
  WHERE t0."unit_price" > $1::numeric
  ORDER BY t0."name", t0."track_id"
  LIMIT $2::int8;

-- total
--   1: "0.99"
SELECT count(*)
  FROM "public"."track" AS t0
  WHERE t0."unit_price" > $1::numeric;

-- GET /ords/chinook/invoice/?q={"invoice_date":{"$between":["2009-01-01","2009-01-31T23:59:59Z"]},"$orderby":{"invoice_date":"DESC","total":"ASC"}}&limit=3
-- level 0: invoice
--   1: "2009-01-01T00:00:00"
--   2: "2009-01-31T23:59:59"
--   3: 4
SELECT t0."invoice_id", t0."customer_id", t0."invoice_date", t0."billing_address", t0."billing_city", t0."billing_state", t0."billing_country", t0."billing_postal_code", t0."total"
  FROM "public"."invoice" AS t0
  WHERE (t0."invoice_date" >= $1::timestamp AND t0."invoice_date" <= $2::timestamp)
  ORDER BY t0."invoice_date" DESC, t0."total", t0."invoice_id"
  LIMIT $3::int8;

-- GET /ords/chinook/customer/?q={"last_name":{"$ilike":"GON%"}}
-- level 0: customer
--   1: "GON%"
--   2: 26
SELECT t0."customer_id", t0."first_name", t0."last_name", t0."company", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."phone", t0."fax", t0."email", t0."support_rep_id"
  FROM "public"."customer" AS t0
  WHERE lower((t0."last_name")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."customer_id"
  LIMIT $2::int8;

-- GET /ords/chinook/artist/?q={"name":{"$ilike":"MOTÖRHEAD"}}
-- level 0: artist
--   1: "MOTÖRHEAD"
--   2: 26
SELECT t0."artist_id", t0."name"
  FROM "public"."artist" AS t0
  WHERE lower((t0."name")::text COLLATE "und-x-icu") LIKE lower($1::text COLLATE "und-x-icu")
  ORDER BY t0."artist_id"
  LIMIT $2::int8;

-- GET /ords/chinook/employee/?q={"reports_to":{"$null":null}}
-- level 0: employee
SELECT t0."employee_id", t0."last_name", t0."first_name", t0."title", t0."reports_to", t0."birth_date", t0."hire_date", t0."address", t0."city", t0."state", t0."country", t0."postal_code", t0."phone", t0."fax", t0."email"
  FROM "public"."employee" AS t0
  WHERE t0."reports_to" IS NULL
  ORDER BY t0."employee_id"
  LIMIT 26;
