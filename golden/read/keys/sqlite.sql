-- GET /t/by_text/
-- level 0: by_text
SELECT t0."word", t0."n", t0."rowid"
  FROM "main"."by_text" AS t0
  WHERE TRUE
  ORDER BY t0."word" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_text/plain
-- level 0: by_text
--   1: "plain" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/Plain
-- level 0: by_text
--   1: "Plain" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/a%2Cb
-- level 0: by_text
--   1: "a,b" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/a,b
-- level 0: by_text
--   1: "a,b" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/%C3%A9%2F%C3%BC
-- level 0: by_text
--   1: "é/ü" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/50%25
-- level 0: by_text
--   1: "50%" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/two%20words
-- level 0: by_text
--   1: "two words" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/o'clock
-- level 0: by_text
--   1: "o'clock" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/~
-- level 0: by_text
--   1: "~" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/~tilde
-- level 0: by_text
--   1: "~tilde" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/a+b
-- level 0: by_text
--   1: "a+b" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/a%2Bb
-- level 0: by_text
--   1: "a+b" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/%3Fq%3D%7B%7D%26x%23y
-- level 0: by_text
--   1: "?q={}&x#y" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/%22
-- level 0: by_text
--   1: "\"" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/back%5Cslash
-- level 0: by_text
--   1: "back\\slash" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/nobody
-- level 0: by_text
--   1: "nobody" (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/%ff
-- level 0: by_text
--   1: � (part 1 of the key)
SELECT t0."word", t0."n"
  FROM "main"."by_text" AS t0
  WHERE t0."word" = ?1;

-- GET /t/by_text/?after=&limit=6
-- level 0: by_text
--   1: 7
SELECT t0."word", t0."n", t0."rowid"
  FROM "main"."by_text" AS t0
  WHERE TRUE
  ORDER BY t0."word" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET the next page
-- level 0: by_text
--   1: "a,b"
--   2: 7
SELECT t0."word", t0."n", t0."rowid"
  FROM "main"."by_text" AS t0
  WHERE TRUE AND (t0."word") > (?1)
  ORDER BY t0."word" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET the next page
-- level 0: by_text
--   1: "~tilde"
--   2: 7
SELECT t0."word", t0."n", t0."rowid"
  FROM "main"."by_text" AS t0
  WHERE TRUE AND (t0."word") > (?1)
  ORDER BY t0."word" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/by_uuid/
-- level 0: by_uuid
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_uuid" AS t0
  WHERE TRUE
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_uuid/6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab
-- level 0: by_uuid
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab" (part 1 of the key)
SELECT t0."id", t0."n"
  FROM "main"."by_uuid" AS t0
  WHERE t0."id" IN (?1, upper(?1), unhex(?1, '-'));

-- GET /t/by_uuid/6F2C1D1E5A0B4C3D9E8F0123456789AB
-- level 0: by_uuid
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab" (part 1 of the key)
SELECT t0."id", t0."n"
  FROM "main"."by_uuid" AS t0
  WHERE t0."id" IN (?1, upper(?1), unhex(?1, '-'));

-- GET /t/by_uuid/?after=&limit=1
-- level 0: by_uuid
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_uuid" AS t0
  WHERE TRUE
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_uuid
--   1: "00000000-0000-0000-0000-000000000001"
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_uuid" AS t0
  WHERE TRUE AND (t0."id") > (?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_date/
-- level 0: by_date
SELECT t0."day", t0."n", t0."rowid"
  FROM "main"."by_date" AS t0
  WHERE TRUE
  ORDER BY t0."day" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_date/2022-03-20
-- level 0: by_date
--   1: "2022-03-20" (part 1 of the key)
SELECT 1, t0."day", t0."n"
  FROM "main"."by_date" AS t0
  WHERE t0."day" = ?1;

-- GET /t/by_date/?after=&limit=1
-- level 0: by_date
SELECT t0."day", t0."n", t0."rowid"
  FROM "main"."by_date" AS t0
  WHERE TRUE
  ORDER BY t0."day" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_date
--   1: "2022-03-20"
SELECT t0."day", t0."n", t0."rowid"
  FROM "main"."by_date" AS t0
  WHERE TRUE AND (t0."day") > (?1)
  ORDER BY t0."day" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_stamp/
-- level 0: by_stamp
SELECT t0."at", t0."n", t0."rowid"
  FROM "main"."by_stamp" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."at") NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_stamp/2022-03-20T00%3A00%3A00
-- level 0: by_stamp
--   1: "2022-03-20T00:00:00" (part 1 of the key)
SELECT 1, t0."at", t0."n"
  FROM "main"."by_stamp" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND t0."at" <= duet_latest(?1) AND duet_timestamp(t0."at") = duet_timestamp(?1));

-- GET /t/by_stamp/2022-03-20T00:00:00.5
-- level 0: by_stamp
--   1: "2022-03-20T00:00:00.5" (part 1 of the key)
SELECT 1, t0."at", t0."n"
  FROM "main"."by_stamp" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND t0."at" <= duet_latest(?1) AND duet_timestamp(t0."at") = duet_timestamp(?1));

-- GET /t/by_stamp/2022-03-20
-- level 0: by_stamp
--   1: "2022-03-20T00:00:00" (part 1 of the key)
SELECT 1, t0."at", t0."n"
  FROM "main"."by_stamp" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND t0."at" <= duet_latest(?1) AND duet_timestamp(t0."at") = duet_timestamp(?1));

-- GET /t/by_stamp/?after=&limit=1
-- level 0: by_stamp
SELECT t0."at", t0."n", t0."rowid"
  FROM "main"."by_stamp" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."at") NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_stamp
--   1: "2022-03-20T00:00:00"
SELECT t0."at", t0."n", t0."rowid"
  FROM "main"."by_stamp" AS t0
  WHERE TRUE AND (duet_timestamp(t0."at")) > (duet_timestamp(?1))
  ORDER BY duet_timestamp(t0."at") NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_moment/
-- level 0: by_moment
SELECT t0."at", t0."n", t0."rowid"
  FROM "main"."by_moment" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."at") NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_moment/2022-03-19T22:00:00Z
-- level 0: by_moment
--   1: "2022-03-19T22:00:00Z" (part 1 of the key)
SELECT 1, t0."at", t0."n"
  FROM "main"."by_moment" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND t0."at" <= duet_latest(?1) AND duet_timestamp(t0."at") = duet_timestamp(?1));

-- GET /t/by_moment/2022-03-20T00:00:00.5Z
-- level 0: by_moment
--   1: "2022-03-20T00:00:00.5Z" (part 1 of the key)
SELECT 1, t0."at", t0."n"
  FROM "main"."by_moment" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND t0."at" <= duet_latest(?1) AND duet_timestamp(t0."at") = duet_timestamp(?1));

-- GET /t/by_moment/?after=&limit=1
-- level 0: by_moment
SELECT t0."at", t0."n", t0."rowid"
  FROM "main"."by_moment" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."at") NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_moment
--   1: "2022-03-19T22:00:00Z"
SELECT t0."at", t0."n", t0."rowid"
  FROM "main"."by_moment" AS t0
  WHERE TRUE AND (duet_timestamp(t0."at")) > (duet_timestamp(?1))
  ORDER BY duet_timestamp(t0."at") NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_decimal/
-- level 0: by_decimal
SELECT t0."price", t0."n", t0."rowid"
  FROM "main"."by_decimal" AS t0
  WHERE TRUE
  ORDER BY t0."price" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_decimal/5
-- level 0: by_decimal
--   1: "5" (part 1 of the key)
SELECT 1, t0."price", t0."n"
  FROM "main"."by_decimal" AS t0
  WHERE t0."price" = ?1;

-- GET /t/by_decimal/5.00
-- level 0: by_decimal
--   1: "5" (part 1 of the key)
SELECT 1, t0."price", t0."n"
  FROM "main"."by_decimal" AS t0
  WHERE t0."price" = ?1;

-- GET /t/by_decimal/0.1
-- level 0: by_decimal
--   1: "0.1" (part 1 of the key)
SELECT 1, t0."price", t0."n"
  FROM "main"."by_decimal" AS t0
  WHERE t0."price" = ?1;

-- GET /t/by_decimal/-12345.67
-- level 0: by_decimal
--   1: "-12345.67" (part 1 of the key)
SELECT 1, t0."price", t0."n"
  FROM "main"."by_decimal" AS t0
  WHERE t0."price" = ?1;

-- GET /t/by_decimal/?after=&limit=1
-- level 0: by_decimal
SELECT t0."price", t0."n", t0."rowid"
  FROM "main"."by_decimal" AS t0
  WHERE TRUE
  ORDER BY t0."price" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_decimal
--   1: "-12345.67"
SELECT t0."price", t0."n", t0."rowid"
  FROM "main"."by_decimal" AS t0
  WHERE TRUE AND (t0."price") > (?1)
  ORDER BY t0."price" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_float/
-- level 0: by_float
SELECT t0."ratio", t0."n", t0."rowid"
  FROM "main"."by_float" AS t0
  WHERE TRUE
  ORDER BY t0."ratio" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_float/0.1
-- level 0: by_float
--   1: 0.1 (part 1 of the key)
SELECT 1, t0."ratio", t0."n"
  FROM "main"."by_float" AS t0
  WHERE t0."ratio" = ?1;

-- GET /t/by_float/1e300
-- level 0: by_float
--   1: 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 (part 1 of the key)
SELECT 1, t0."ratio", t0."n"
  FROM "main"."by_float" AS t0
  WHERE t0."ratio" = ?1;

-- GET /t/by_float/-2
-- level 0: by_float
--   1: -2 (part 1 of the key)
SELECT 1, t0."ratio", t0."n"
  FROM "main"."by_float" AS t0
  WHERE t0."ratio" = ?1;

-- GET /t/by_float/?after=&limit=1
-- level 0: by_float
SELECT t0."ratio", t0."n", t0."rowid"
  FROM "main"."by_float" AS t0
  WHERE TRUE
  ORDER BY t0."ratio" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_float
--   1: -2
SELECT t0."ratio", t0."n", t0."rowid"
  FROM "main"."by_float" AS t0
  WHERE TRUE AND (t0."ratio") > (?1)
  ORDER BY t0."ratio" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_flag/
-- level 0: by_flag
SELECT t0."flag", t0."n", t0."rowid"
  FROM "main"."by_flag" AS t0
  WHERE TRUE
  ORDER BY t0."flag" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_flag/true
-- level 0: by_flag
--   1: true (part 1 of the key)
SELECT t0."flag", t0."n"
  FROM "main"."by_flag" AS t0
  WHERE t0."flag" = ?1;

-- GET /t/by_flag/?after=&limit=1
-- level 0: by_flag
SELECT t0."flag", t0."n", t0."rowid"
  FROM "main"."by_flag" AS t0
  WHERE TRUE
  ORDER BY t0."flag" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_flag
--   1: false
SELECT t0."flag", t0."n", t0."rowid"
  FROM "main"."by_flag" AS t0
  WHERE TRUE AND (t0."flag") > (?1)
  ORDER BY t0."flag" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_bytes/
-- level 0: by_bytes
SELECT t0."hash", t0."n", t0."rowid"
  FROM "main"."by_bytes" AS t0
  WHERE TRUE
  ORDER BY t0."hash" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_bytes/AP8%3D
-- level 0: by_bytes
--   1: 00ff (part 1 of the key)
SELECT 1, t0."hash", t0."n"
  FROM "main"."by_bytes" AS t0
  WHERE t0."hash" = ?1;

-- GET /t/by_bytes/%2B%2B%2B%2B
-- level 0: by_bytes
--   1: fbefbe (part 1 of the key)
SELECT 1, t0."hash", t0."n"
  FROM "main"."by_bytes" AS t0
  WHERE t0."hash" = ?1;

-- GET /t/by_bytes/?after=&limit=1
-- level 0: by_bytes
SELECT t0."hash", t0."n", t0."rowid"
  FROM "main"."by_bytes" AS t0
  WHERE TRUE
  ORDER BY t0."hash" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_bytes
--   1: 00ff
SELECT t0."hash", t0."n", t0."rowid"
  FROM "main"."by_bytes" AS t0
  WHERE TRUE AND (t0."hash") > (?1)
  ORDER BY t0."hash" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_four/
-- level 0: by_four
SELECT t0."a", t0."b", t0."c", t0."d", t0."n", t0."rowid"
  FROM "main"."by_four" AS t0
  WHERE TRUE
  ORDER BY t0."b" NULLS FIRST, t0."a" NULLS FIRST, t0."c" NULLS FIRST, t0."d" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_four/x,1,2022-03-20,6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab
-- level 0: by_four
--   1: "x" (part 1 of the key)
--   2: 1 (part 2 of the key)
--   3: "2022-03-20" (part 3 of the key)
--   4: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab" (part 4 of the key)
SELECT 1, t0."a", t0."b", t0."c", t0."d", t0."n"
  FROM "main"."by_four" AS t0
  WHERE t0."b" = ?1 AND t0."a" = ?2 AND t0."c" = ?3 AND t0."d" IN (?4, upper(?4), unhex(?4, '-'));

-- GET /t/by_four/x%2Cy,1,2022-03-20,6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab
-- level 0: by_four
--   1: "x,y" (part 1 of the key)
--   2: 1 (part 2 of the key)
--   3: "2022-03-20" (part 3 of the key)
--   4: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab" (part 4 of the key)
SELECT 1, t0."a", t0."b", t0."c", t0."d", t0."n"
  FROM "main"."by_four" AS t0
  WHERE t0."b" = ?1 AND t0."a" = ?2 AND t0."c" = ?3 AND t0."d" IN (?4, upper(?4), unhex(?4, '-'));

-- GET /t/by_four/?after=&limit=1
-- level 0: by_four
SELECT t0."a", t0."b", t0."c", t0."d", t0."n", t0."rowid"
  FROM "main"."by_four" AS t0
  WHERE TRUE
  ORDER BY t0."b" NULLS FIRST, t0."a" NULLS FIRST, t0."c" NULLS FIRST, t0."d" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_four
--   1: "x"
--   2: 1
--   3: "2022-03-20"
--   4: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
SELECT t0."a", t0."b", t0."c", t0."d", t0."n", t0."rowid"
  FROM "main"."by_four" AS t0
  WHERE TRUE AND (t0."b", t0."a", t0."c", t0."d") > (?1, ?2, ?3, ?4)
  ORDER BY t0."b" NULLS FIRST, t0."a" NULLS FIRST, t0."c" NULLS FIRST, t0."d" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/by_unique/
-- level 0: by_unique
SELECT t0."n", t0."maybe", t0."sure"
  FROM "main"."by_unique" AS t0
  WHERE TRUE
  ORDER BY t0."sure"
  LIMIT 26;

-- GET /t/by_unique/20
-- level 0: by_unique
--   1: 20 (part 1 of the key)
SELECT t0."sure", t0."n", t0."maybe"
  FROM "main"."by_unique" AS t0
  WHERE t0."sure" = ?1;

-- GET /t/by_nothing/
-- level 0: by_nothing
SELECT t0."n", t0."maybe", t0."word"
  FROM "main"."by_nothing" AS t0
  WHERE TRUE
  ORDER BY t0."n" NULLS LAST, t0."maybe" NULLS LAST, t0."word" NULLS LAST
  LIMIT 26;
