-- GET /t/by_char/
-- level 0: by_char
SELECT t0."code", t0."n"
  FROM "public"."by_char" AS t0
  WHERE TRUE
  ORDER BY t0."code"
  LIMIT 26;

-- GET /t/by_char/abc
-- level 0: by_char
--   1: "abc" (part 1 of the key)
SELECT k.ord, t0."code", t0."n"
  FROM unnest($1::bpchar[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_char" AS t0 ON t0."code" = k.k0
  WHERE TRUE;

-- GET /t/by_char/x%20y
-- level 0: by_char
--   1: "x y" (part 1 of the key)
SELECT k.ord, t0."code", t0."n"
  FROM unnest($1::bpchar[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_char" AS t0 ON t0."code" = k.k0
  WHERE TRUE;

-- GET /t/by_char/ab
-- level 0: by_char
--   1: "ab" (part 1 of the key)
SELECT k.ord, t0."code", t0."n"
  FROM unnest($1::bpchar[]) WITH ORDINALITY AS k(k0, ord)
  JOIN "public"."by_char" AS t0 ON t0."code" = k.k0
  WHERE TRUE;

-- GET /t/by_char/?after=&limit=1
-- level 0: by_char
SELECT t0."code", t0."n"
  FROM "public"."by_char" AS t0
  WHERE TRUE
  ORDER BY t0."code"
  LIMIT 2;

-- GET the next page
-- level 0: by_char
--   1: "abc"
SELECT t0."code", t0."n"
  FROM "public"."by_char" AS t0
  WHERE TRUE AND (t0."code") > ($1::bpchar)
  ORDER BY t0."code"
  LIMIT 2;
