-- GET /t/sale/?q={"$orderby":{"at":"DESC"}}&after=&limit=2
-- level 0: sale
SELECT t0."id", t0."at", t0."paid", t0."sent"
  FROM "public"."sale" AS t0
  WHERE TRUE
  ORDER BY t0."at" DESC, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:01.5"
--   2: "2022-03-20T10:00:01.5"
--   3: "2022-03-20T10:00:01.5"
--   4: 1
SELECT t0."id", t0."at", t0."paid", t0."sent"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."at" <= $1::timestamp AND (((t0."at" < $2::timestamp)) OR ((t0."at" = $3::timestamp) AND (t0."id" > $4::int8))))
  ORDER BY t0."at" DESC, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:01.5"
--   2: "2022-03-20T10:00:01.5"
--   3: "2022-03-20T10:00:01.5"
--   4: 7
SELECT t0."id", t0."at", t0."paid", t0."sent"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."at" <= $1::timestamp AND (((t0."at" < $2::timestamp)) OR ((t0."at" = $3::timestamp) AND (t0."id" > $4::int8))))
  ORDER BY t0."at" DESC, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:01.000001"
--   2: "2022-03-20T10:00:01.000001"
--   3: "2022-03-20T10:00:01.000001"
--   4: 5
SELECT t0."id", t0."at", t0."paid", t0."sent"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."at" <= $1::timestamp AND (((t0."at" < $2::timestamp)) OR ((t0."at" = $3::timestamp) AND (t0."id" > $4::int8))))
  ORDER BY t0."at" DESC, t0."id"
  LIMIT 3;

-- GET /t/sale/?fields=id,at&q={"$orderby":{"at":"ASC"}}&after=&limit=3
-- level 0: sale
--   1: 4
SELECT t0."id", t0."at"
  FROM "public"."sale" AS t0
  WHERE TRUE
  ORDER BY t0."at", t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:01.25"
--   2: 3
--   3: 4
SELECT t0."id", t0."at"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."at", t0."id") > ($1::timestamp, $2::int8)
  ORDER BY t0."at", t0."id"
  LIMIT $3::int8;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:01.5"
--   2: 7
--   3: 4
SELECT t0."id", t0."at"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."at", t0."id") > ($1::timestamp, $2::int8)
  ORDER BY t0."at", t0."id"
  LIMIT $3::int8;

-- GET /t/sale/?fields=id,paid&q={"$orderby":{"paid":"DESC"}}&after=&limit=3
-- level 0: sale
--   1: 4
SELECT t0."id", t0."paid"
  FROM "public"."sale" AS t0
  WHERE TRUE
  ORDER BY t0."paid" DESC NULLS LAST, t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:02"
--   2: "2022-03-20T10:00:02"
--   3: 7
--   4: 4
SELECT t0."id", t0."paid"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (((t0."paid" < $1::timestamp OR t0."paid" IS NULL)) OR ((t0."paid" = $2::timestamp) AND (t0."id" > $3::int8)))
  ORDER BY t0."paid" DESC NULLS LAST, t0."id"
  LIMIT $4::int8;

-- GET the next page
-- level 0: sale
--   1: 2
--   2: 4
SELECT t0."id", t0."paid"
  FROM "public"."sale" AS t0
  WHERE TRUE AND ((FALSE) OR (t0."paid" IS NULL AND (t0."id" > $1::int8)))
  ORDER BY t0."paid" DESC NULLS LAST, t0."id"
  LIMIT $2::int8;

-- GET /t/sale/?fields=id,sent&q={"$orderby":{"sent":"DESC","at":"ASC"}}&after=&limit=3
-- level 0: sale
--   1: 4
SELECT t0."id", t0."sent", t0."at"
  FROM "public"."sale" AS t0
  WHERE TRUE
  ORDER BY t0."sent" DESC, t0."at", t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:03Z"
--   2: "2022-03-20T10:00:03Z"
--   3: "2022-03-20T10:00:03Z"
--   4: "2022-03-20T10:00:01.5"
--   5: "2022-03-20T10:00:03Z"
--   6: "2022-03-20T10:00:01.5"
--   7: 1
--   8: 4
SELECT t0."id", t0."sent", t0."at"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."sent" <= $1::timestamptz AND (((t0."sent" < $2::timestamptz)) OR ((t0."sent" = $3::timestamptz) AND (t0."at" > $4::timestamp)) OR ((t0."sent" = $5::timestamptz) AND (t0."at" = $6::timestamp) AND (t0."id" > $7::int8))))
  ORDER BY t0."sent" DESC, t0."at", t0."id"
  LIMIT $8::int8;

-- GET the next page
-- level 0: sale
--   1: "2022-03-20T10:00:03Z"
--   2: "2022-03-20T10:00:03Z"
--   3: "2022-03-20T10:00:03Z"
--   4: "2022-03-20T10:00:02"
--   5: "2022-03-20T10:00:03Z"
--   6: "2022-03-20T10:00:02"
--   7: 6
--   8: 4
SELECT t0."id", t0."sent", t0."at"
  FROM "public"."sale" AS t0
  WHERE TRUE AND (t0."sent" <= $1::timestamptz AND (((t0."sent" < $2::timestamptz)) OR ((t0."sent" = $3::timestamptz) AND (t0."at" > $4::timestamp)) OR ((t0."sent" = $5::timestamptz) AND (t0."at" = $6::timestamp) AND (t0."id" > $7::int8))))
  ORDER BY t0."sent" DESC, t0."at", t0."id"
  LIMIT $8::int8;

-- GET /t/sale/?fields=id,at&q={"at":{"$gt":"2022-03-20 10:00:01.2"},"$orderby":{"at":"ASC"}}
-- level 0: sale
--   1: "2022-03-20T10:00:01.2"
--   2: 26
SELECT t0."id", t0."at"
  FROM "public"."sale" AS t0
  WHERE t0."at" > $1::timestamp
  ORDER BY t0."at", t0."id"
  LIMIT $2::int8;

-- GET /t/sale/?fields=id,at&q={"at":"2022-03-20T12:00:01.500+02:00"}
-- level 0: sale
--   1: "2022-03-20T10:00:01.5"
--   2: 26
SELECT t0."id", t0."at"
  FROM "public"."sale" AS t0
  WHERE t0."at" = $1::timestamp
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/hour/?after=&limit=2
-- level 0: hour
SELECT t0."at", t0."n"
  FROM "public"."hour" AS t0
  WHERE TRUE
  ORDER BY t0."at"
  LIMIT 3;

-- GET the next page
-- level 0: hour
--   1: "2022-03-20T11:00:00"
SELECT t0."at", t0."n"
  FROM "public"."hour" AS t0
  WHERE TRUE AND (t0."at") > ($1::timestamp)
  ORDER BY t0."at"
  LIMIT 3;

-- GET /t/hour/2022-03-20T11:00:00
-- level 0: hour
--   1: "2022-03-20T11:00:00" (part 1 of the key)
SELECT k.ord, t0."at", t0."n"
  FROM unnest($1::timestamp[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."hour" AS t0 ON t0."at" = k.k0
  WHERE TRUE;

-- GET /t/hour/2022-03-20T11:00:00.000
-- level 0: hour
--   1: "2022-03-20T11:00:00" (part 1 of the key)
SELECT k.ord, t0."at", t0."n"
  FROM unnest($1::timestamp[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."hour" AS t0 ON t0."at" = k.k0
  WHERE TRUE;
