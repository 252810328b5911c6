-- GET /t/named/
-- level 0: named
SELECT t0."id", t0."name"
  FROM "public"."named" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/named/2
-- level 0: named
--   1: 2 (part 1 of the key)
SELECT t0."id", t0."name"
  FROM "public"."named" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/named/9
-- level 0: named
--   1: 9 (part 1 of the key)
SELECT t0."id", t0."name"
  FROM "public"."named" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/listed/
-- level 0: listed
SELECT t0."name", t0."points"
  FROM "public"."listed" AS t0
  WHERE TRUE
  ORDER BY t0."name" NULLS LAST, t0."points" NULLS LAST
  LIMIT 26;

-- GET /t/listed/?q={"points":{"$gte":20},"$orderby":{"points":-1}}
-- level 0: listed
--   1: 20
--   2: 26
SELECT t0."name", t0."points"
  FROM "public"."listed" AS t0
  WHERE t0."points" >= $1::int8
  ORDER BY t0."points" DESC NULLS LAST, t0."name" NULLS LAST
  LIMIT $2::int8;

-- GET /t/by_two/
-- level 0: by_two
SELECT t0."name", t0."points", t0."id"
  FROM "public"."by_two" AS t0
  WHERE TRUE
  ORDER BY t0."name", t0."points"
  LIMIT 26;

-- GET /t/by_two/b,20
-- level 0: by_two
--   1: "b" (part 1 of the key)
--   2: 20 (part 2 of the key)
SELECT k.ord, t0."name", t0."points", t0."id"
  FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS k(k0, k1, ord)
  JOIN "public"."by_two" AS t0 ON t0."name" = k.k0 AND t0."points" = k.k1
  WHERE TRUE;

-- GET /t/by_two/b,10
-- level 0: by_two
--   1: "b" (part 1 of the key)
--   2: 10 (part 2 of the key)
SELECT k.ord, t0."name", t0."points", t0."id"
  FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS k(k0, k1, ord)
  JOIN "public"."by_two" AS t0 ON t0."name" = k.k0 AND t0."points" = k.k1
  WHERE TRUE;

-- GET /t/by_two/?after=&limit=2
-- level 0: by_two
SELECT t0."name", t0."points", t0."id"
  FROM "public"."by_two" AS t0
  WHERE TRUE
  ORDER BY t0."name", t0."points"
  LIMIT 3;

-- GET the next page
-- level 0: by_two
--   1: "b"
--   2: 20
SELECT t0."name", t0."points", t0."id"
  FROM "public"."by_two" AS t0
  WHERE TRUE AND (t0."name", t0."points") > ($1::text, $2::int8)
  ORDER BY t0."name", t0."points"
  LIMIT 3;

-- GET /t/log/
-- level 0: log
SELECT t0."at", t0."line"
  FROM "public"."log" AS t0
  WHERE TRUE
  ORDER BY t0."at" NULLS LAST, t0."line" NULLS LAST
  LIMIT 26;
