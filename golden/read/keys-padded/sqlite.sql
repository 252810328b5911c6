-- GET /t/by_char/
-- level 0: by_char
SELECT t0."code", t0."n", t0."rowid"
  FROM "main"."by_char" AS t0
  WHERE TRUE
  ORDER BY t0."code" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_char/abc
-- level 0: by_char
--   1: "abc" (part 1 of the key)
SELECT t0."code", t0."n"
  FROM "main"."by_char" AS t0
  WHERE t0."code" = ?1;

-- GET /t/by_char/x%20y
-- level 0: by_char
--   1: "x y" (part 1 of the key)
SELECT t0."code", t0."n"
  FROM "main"."by_char" AS t0
  WHERE t0."code" = ?1;

-- GET /t/by_char/ab
-- level 0: by_char
--   1: "ab" (part 1 of the key)
SELECT t0."code", t0."n"
  FROM "main"."by_char" AS t0
  WHERE t0."code" = ?1;

-- GET /t/by_char/?after=&limit=1
-- level 0: by_char
SELECT t0."code", t0."n", t0."rowid"
  FROM "main"."by_char" AS t0
  WHERE TRUE
  ORDER BY t0."code" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_char
--   1: "abc"
SELECT t0."code", t0."n", t0."rowid"
  FROM "main"."by_char" AS t0
  WHERE TRUE AND (t0."code") > (?1)
  ORDER BY t0."code" NULLS FIRST, t0."rowid"
  LIMIT 2;
