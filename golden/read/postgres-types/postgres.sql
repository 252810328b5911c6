-- GET /t/known/
-- level 0: known
SELECT t0."id", t0."feeling"::text, t0."feelings"::text[], t0."amount", t0."cost", t0."single", t0."double", t0."day", t0."stamp", t0."moment", t0."matrix", t0."days", t0."docs", t0."uids", t0."code", t0."bits", t0."spans", t0."raw"
  FROM "public"."known" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/known/1
-- level 0: known
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."feeling"::text, t0."feelings"::text[], t0."amount", t0."cost", t0."single", t0."double", t0."day", t0."stamp", t0."moment", t0."matrix", t0."days", t0."docs", t0."uids", t0."code", t0."bits", t0."spans", t0."raw"
  FROM "public"."known" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/known/?fields=id,feeling&q={"$orderby":{"feeling":"ASC"}}&after=&limit=2
-- level 0: known
SELECT t0."id", t0."feeling"::text
  FROM "public"."known" AS t0
  WHERE TRUE
  ORDER BY t0."feeling" NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: known
--   1: "ok"
--   2: "ok"
--   3: 3
SELECT t0."id", t0."feeling"::text
  FROM "public"."known" AS t0
  WHERE TRUE AND (((t0."feeling" > $1::public.mood OR t0."feeling" IS NULL)) OR ((t0."feeling" = $2::public.mood) AND (t0."id" > $3::int8)))
  ORDER BY t0."feeling" NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/known/?fields=id&q={"feeling":{"$gt":"sad"}}
-- level 0: known
--   1: "sad"
--   2: 26
SELECT t0."id"
  FROM "public"."known" AS t0
  WHERE t0."feeling" > $1::public.mood
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/known/?fields=id,amount&q={"$orderby":{"amount":"DESC"}}&after=&limit=1
-- level 0: known
SELECT t0."id", t0."amount"
  FROM "public"."known" AS t0
  WHERE TRUE
  ORDER BY t0."amount" DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: known
--   1: "NaN"
--   2: "NaN"
--   3: 2
SELECT t0."id", t0."amount"
  FROM "public"."known" AS t0
  WHERE TRUE AND (((t0."amount" < $1::numeric OR t0."amount" IS NULL)) OR ((t0."amount" = $2::numeric) AND (t0."id" > $3::int8)))
  ORDER BY t0."amount" DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: known
--   1: "Infinity"
--   2: "Infinity"
--   3: 3
SELECT t0."id", t0."amount"
  FROM "public"."known" AS t0
  WHERE TRUE AND (((t0."amount" < $1::numeric OR t0."amount" IS NULL)) OR ((t0."amount" = $2::numeric) AND (t0."id" > $3::int8)))
  ORDER BY t0."amount" DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET /t/known/?fields=id,double&q={"$orderby":{"double":"ASC"}}&after=&limit=2
-- level 0: known
SELECT t0."id", t0."double"
  FROM "public"."known" AS t0
  WHERE TRUE
  ORDER BY t0."double" NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: known
--   1: "Infinity"
--   2: "Infinity"
--   3: 2
SELECT t0."id", t0."double"
  FROM "public"."known" AS t0
  WHERE TRUE AND (((t0."double" > $1::float8 OR t0."double" IS NULL)) OR ((t0."double" = $2::float8) AND (t0."id" > $3::int8)))
  ORDER BY t0."double" NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/known/?fields=id&q={"double":"NaN"}
-- level 0: known
--   1: "NaN"
--   2: 26
SELECT t0."id"
  FROM "public"."known" AS t0
  WHERE t0."double" = $1::float8
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/known/?fields=id&q={"amount":{"$gt":123456789012345678901234567890}}
-- level 0: known
--   1: "123456789012345678901234567890"
--   2: 26
SELECT t0."id"
  FROM "public"."known" AS t0
  WHERE t0."amount" > $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/known/?fields=id,day&q={"$orderby":{"day":"ASC"}}
-- level 0: known
SELECT t0."id", t0."day"
  FROM "public"."known" AS t0
  WHERE TRUE
  ORDER BY t0."day" NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/passed_on/
-- level 0: passed_on
SELECT t0."id", t0."cash"::text, t0."markup"::text, pg_catalog.abbrev(t0."host"), t0."net"::text, t0."mac"::text, t0."bits"::text, t0."some_bits"::text, t0."valid"::text, t0."periods"::text, t0."place"::text, t0."shape"::text, t0."words"::text, t0."asked"::text, t0."pair"::text, t0."pairs"::text[], t0."object"::text, t0."class"::text, t0."snapshot"::text, t0."path"::text
  FROM "public"."passed_on" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/passed_on/1
-- level 0: passed_on
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."cash"::text, t0."markup"::text, pg_catalog.abbrev(t0."host"), t0."net"::text, t0."mac"::text, t0."bits"::text, t0."some_bits"::text, t0."valid"::text, t0."periods"::text, t0."place"::text, t0."shape"::text, t0."words"::text, t0."asked"::text, t0."pair"::text, t0."pairs"::text[], t0."object"::text, t0."class"::text, t0."snapshot"::text, t0."path"::text
  FROM "public"."passed_on" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/passed_on/?fields=id&q={"host":"10.0.0.1/32"}
-- level 0: passed_on
--   1: "10.0.0.1"
--   2: 26
SELECT t0."id"
  FROM "public"."passed_on" AS t0
  WHERE t0."host" = $1::inet
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/passed_on/?fields=id&q={"host":"10.0.0.1"}
-- level 0: passed_on
--   1: "10.0.0.1"
--   2: 26
SELECT t0."id"
  FROM "public"."passed_on" AS t0
  WHERE t0."host" = $1::inet
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/passed_on/?fields=id&q={"net":"10.0.0.0/8"}
-- level 0: passed_on
--   1: "10.0.0.0/8"
--   2: 26
SELECT t0."id"
  FROM "public"."passed_on" AS t0
  WHERE t0."net" = $1::pg_catalog.cidr
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/passed_on/?fields=id&q={"markup":{"$like":"<a%"}}
-- level 0: passed_on
--   1: "<a%"
--   2: 26
SELECT t0."id"
  FROM "public"."passed_on" AS t0
  WHERE (t0."markup")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/passed_on/?fields=id&q={"$orderby":{"valid":"ASC","cash":"DESC"}}
-- level 0: passed_on
SELECT t0."id", t0."valid"::text, t0."cash"::text
  FROM "public"."passed_on" AS t0
  WHERE TRUE
  ORDER BY t0."valid" NULLS LAST, t0."cash" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/by_enum/
-- level 0: by_enum
SELECT t0."feeling"::text, t0."n"
  FROM "public"."by_enum" AS t0
  WHERE TRUE
  ORDER BY t0."feeling"
  LIMIT 26;

-- GET /t/by_enum/sad
-- level 0: by_enum
--   1: "sad" (part 1 of the key)
SELECT t0."feeling"::text, t0."n"
  FROM "public"."by_enum" AS t0
  WHERE t0."feeling" = ANY($1::public.mood[]);

-- GET /t/by_enum/?after=&limit=1
-- level 0: by_enum
SELECT t0."feeling"::text, t0."n"
  FROM "public"."by_enum" AS t0
  WHERE TRUE
  ORDER BY t0."feeling"
  LIMIT 2;

-- GET the next page
-- level 0: by_enum
--   1: "sad"
SELECT t0."feeling"::text, t0."n"
  FROM "public"."by_enum" AS t0
  WHERE TRUE AND (t0."feeling") > ($1::public.mood)
  ORDER BY t0."feeling"
  LIMIT 2;

-- GET /t/by_inet/
-- level 0: by_inet
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE TRUE
  ORDER BY t0."host"
  LIMIT 26;

-- GET /t/by_inet/10.0.0.1
-- level 0: by_inet
--   1: "10.0.0.1" (part 1 of the key)
SELECT k.ord, pg_catalog.abbrev(t0."host"), t0."n"
  FROM unnest($1::inet[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_inet" AS t0 ON t0."host" = k.k0
  WHERE TRUE;

-- GET /t/by_inet/10.0.0.1%2F32
-- level 0: by_inet
--   1: "10.0.0.1" (part 1 of the key)
SELECT k.ord, pg_catalog.abbrev(t0."host"), t0."n"
  FROM unnest($1::inet[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_inet" AS t0 ON t0."host" = k.k0
  WHERE TRUE;

-- GET /t/by_inet/10.0.0.9%2F24
-- level 0: by_inet
--   1: "10.0.0.9/24" (part 1 of the key)
SELECT k.ord, pg_catalog.abbrev(t0."host"), t0."n"
  FROM unnest($1::inet[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_inet" AS t0 ON t0."host" = k.k0
  WHERE TRUE;

-- GET /t/by_inet/?after=&limit=1
-- level 0: by_inet
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE TRUE
  ORDER BY t0."host"
  LIMIT 2;

-- GET the next page
-- level 0: by_inet
--   1: "9.0.0.0/8"
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE TRUE AND (t0."host") > ($1::inet)
  ORDER BY t0."host"
  LIMIT 2;

-- GET the next page
-- level 0: by_inet
--   1: "10.0.0.9/24"
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE TRUE AND (t0."host") > ($1::inet)
  ORDER BY t0."host"
  LIMIT 2;

-- GET the next page
-- level 0: by_inet
--   1: "10.0.0.1"
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE TRUE AND (t0."host") > ($1::inet)
  ORDER BY t0."host"
  LIMIT 2;

-- GET /t/by_inet/?q={"host":{"$gte":"10.0.0.0/8"}}
-- level 0: by_inet
--   1: "10.0.0.0/8"
--   2: 26
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE t0."host" >= $1::inet
  ORDER BY t0."host"
  LIMIT $2::int8;

-- GET /t/by_inet/?q={"host":{"$in":["10.0.0.1/32","0:0::1"]}}
-- level 0: by_inet
--   1: "10.0.0.1"
--   2: "::1"
--   3: 26
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE t0."host" IN ($1::inet, $2::inet)
  ORDER BY t0."host"
  LIMIT $3::int8;

-- GET /t/by_inet/?q={"host":{"$like":"%.1"}}
-- level 0: by_inet
--   1: "%.1"
--   2: 26
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE (pg_catalog.abbrev(t0."host"))::text LIKE $1::text
  ORDER BY t0."host"
  LIMIT $2::int8;

-- GET /t/by_inet/?q={"host":{"$instr":"/"}}
-- level 0: by_inet
--   1: "/"
--   2: 26
SELECT pg_catalog.abbrev(t0."host"), t0."n"
  FROM "public"."by_inet" AS t0
  WHERE strpos((pg_catalog.abbrev(t0."host"))::text, $1::text) > 0
  ORDER BY t0."host"
  LIMIT $2::int8;

-- GET /t/hosts/
-- level 0: hosts
SELECT t0."id", pg_catalog.abbrev(t0."host"), t0."hosts"::text::text[], t0."net"::text
  FROM "public"."hosts" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/hosts/1
-- level 0: hosts
--   1: 1 (part 1 of the key)
SELECT t0."id", pg_catalog.abbrev(t0."host"), t0."hosts"::text::text[], t0."net"::text
  FROM "public"."hosts" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/by_amount/
-- level 0: by_amount
SELECT t0."amount", t0."n"
  FROM "public"."by_amount" AS t0
  WHERE TRUE
  ORDER BY t0."amount"
  LIMIT 26;

-- GET /t/by_amount/1.5
-- level 0: by_amount
--   1: "1.5" (part 1 of the key)
SELECT k.ord, t0."amount", t0."n"
  FROM unnest($1::numeric[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_amount" AS t0 ON t0."amount" = k.k0
  WHERE TRUE;

-- GET /t/by_amount/123456789012345678901234567890
-- level 0: by_amount
--   1: "123456789012345678901234567890" (part 1 of the key)
SELECT k.ord, t0."amount", t0."n"
  FROM unnest($1::numeric[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_amount" AS t0 ON t0."amount" = k.k0
  WHERE TRUE;

-- GET /t/by_amount/NaN
-- level 0: by_amount
--   1: "NaN" (part 1 of the key)
SELECT k.ord, t0."amount", t0."n"
  FROM unnest($1::numeric[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_amount" AS t0 ON t0."amount" = k.k0
  WHERE TRUE;

-- GET /t/by_amount/?after=&limit=1
-- level 0: by_amount
SELECT t0."amount", t0."n"
  FROM "public"."by_amount" AS t0
  WHERE TRUE
  ORDER BY t0."amount"
  LIMIT 2;

-- GET the next page
-- level 0: by_amount
--   1: "1.5"
SELECT t0."amount", t0."n"
  FROM "public"."by_amount" AS t0
  WHERE TRUE AND (t0."amount") > ($1::numeric)
  ORDER BY t0."amount"
  LIMIT 2;

-- GET the next page
-- level 0: by_amount
--   1: "123456789012345678901234567890"
SELECT t0."amount", t0."n"
  FROM "public"."by_amount" AS t0
  WHERE TRUE AND (t0."amount") > ($1::numeric)
  ORDER BY t0."amount"
  LIMIT 2;

-- GET /t/by_citext/
-- level 0: by_citext
SELECT t0."word", t0."n"
  FROM "public"."by_citext" AS t0
  WHERE TRUE
  ORDER BY t0."word"
  LIMIT 26;

-- GET /t/by_citext/APPLE
-- level 0: by_citext
--   1: "APPLE" (part 1 of the key)
SELECT k.ord, t0."word", t0."n"
  FROM unnest($1::public.citext[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_citext" AS t0 ON t0."word" = k.k0
  WHERE TRUE;

-- GET /t/by_citext/?q={"word":"PEAR"}
-- level 0: by_citext
--   1: "PEAR"
--   2: 26
SELECT t0."word", t0."n"
  FROM "public"."by_citext" AS t0
  WHERE t0."word" = $1::public.citext
  ORDER BY t0."word"
  LIMIT $2::int8;

-- GET /t/by_citext/?after=&limit=1
-- level 0: by_citext
SELECT t0."word", t0."n"
  FROM "public"."by_citext" AS t0
  WHERE TRUE
  ORDER BY t0."word"
  LIMIT 2;

-- GET the next page
-- level 0: by_citext
--   1: "Apple"
SELECT t0."word", t0."n"
  FROM "public"."by_citext" AS t0
  WHERE TRUE AND (t0."word") > ($1::public.citext)
  ORDER BY t0."word"
  LIMIT 2;

-- GET /t/by_nocase/APPLE
-- level 0: by_nocase
--   1: "APPLE" (part 1 of the key)
SELECT k.ord, t0."word", t0."n"
  FROM unnest($1::text[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_nocase" AS t0 ON t0."word" = k.k0
  WHERE TRUE;

-- GET /t/by_nocase/?after=&limit=1
-- level 0: by_nocase
SELECT t0."word", t0."n"
  FROM "public"."by_nocase" AS t0
  WHERE TRUE
  ORDER BY t0."word"
  LIMIT 2;

-- GET the next page
-- level 0: by_nocase
--   1: "Apple"
SELECT t0."word", t0."n"
  FROM "public"."by_nocase" AS t0
  WHERE TRUE AND (t0."word") > ($1::text)
  ORDER BY t0."word"
  LIMIT 2;
