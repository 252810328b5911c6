-- GET /t/loose/
-- level 0: loose
SELECT t0."id", t0."number", t0."flag", t0."price", t0."at", t0."doc", t0."words", t0."bytes", t0."uid"
  FROM "main"."loose" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/loose/?fields=id,number&q={"$orderby":{"number":"ASC"}}&after=&limit=1
-- level 0: loose
SELECT t0."id", t0."number"
  FROM "main"."loose" AS t0
  WHERE TRUE
  ORDER BY t0."number" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: 1
--   2: 1
--   3: 1
SELECT t0."id", t0."number"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((t0."number" > ?1 OR t0."number" IS NULL)) OR ((t0."number" = ?2) AND (t0."id" > ?3)))
  ORDER BY t0."number" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: 2.5
--   2: 2.5
--   3: 3
SELECT t0."id", t0."number"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((t0."number" > ?1 OR t0."number" IS NULL)) OR ((t0."number" = ?2) AND (t0."id" > ?3)))
  ORDER BY t0."number" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "many"
--   2: "many"
--   3: 2
SELECT t0."id", t0."number"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((t0."number" > ?1 OR t0."number" IS NULL)) OR ((t0."number" = ?2) AND (t0."id" > ?3)))
  ORDER BY t0."number" NULLS LAST, t0."id"
  LIMIT 2;

-- GET /t/loose/?fields=id,at&q={"$orderby":{"at":"DESC"}}&after=&limit=1
-- level 0: loose
SELECT t0."id", t0."at"
  FROM "main"."loose" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."at") DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "soon"
--   2: "soon"
--   3: 2
SELECT t0."id", t0."at"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((duet_timestamp(t0."at") < duet_timestamp(?1) OR duet_timestamp(t0."at") IS NULL)) OR ((duet_timestamp(t0."at") = duet_timestamp(?2)) AND (t0."id" > ?3)))
  ORDER BY duet_timestamp(t0."at") DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "2022-03-20T01:02:03"
--   2: "2022-03-20T01:02:03"
--   3: 1
SELECT t0."id", t0."at"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((duet_timestamp(t0."at") < duet_timestamp(?1) OR duet_timestamp(t0."at") IS NULL)) OR ((duet_timestamp(t0."at") = duet_timestamp(?2)) AND (t0."id" > ?3)))
  ORDER BY duet_timestamp(t0."at") DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "2022-03-19T23:02:03"
--   2: "2022-03-19T23:02:03"
--   3: 4
SELECT t0."id", t0."at"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((duet_timestamp(t0."at") < duet_timestamp(?1) OR duet_timestamp(t0."at") IS NULL)) OR ((duet_timestamp(t0."at") = duet_timestamp(?2)) AND (t0."id" > ?3)))
  ORDER BY duet_timestamp(t0."at") DESC NULLS LAST, t0."id"
  LIMIT 2;

-- GET /t/loose/?fields=id,uid&q={"$orderby":{"uid":"ASC"}}&after=&limit=1
-- level 0: loose
SELECT t0."id", t0."uid"
  FROM "main"."loose" AS t0
  WHERE TRUE
  ORDER BY t0."uid" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   2: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   3: 1
SELECT t0."id", t0."uid"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((t0."uid" > ?1 OR t0."uid" IS NULL)) OR ((t0."uid" = ?2) AND (t0."id" > ?3)))
  ORDER BY t0."uid" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
--   2: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
--   3: 4
SELECT t0."id", t0."uid"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((t0."uid" > ?1 OR t0."uid" IS NULL)) OR ((t0."uid" = ?2) AND (t0."id" > ?3)))
  ORDER BY t0."uid" NULLS LAST, t0."id"
  LIMIT 2;

-- GET the next page
-- level 0: loose
--   1: "no uuid"
--   2: "no uuid"
--   3: 2
SELECT t0."id", t0."uid"
  FROM "main"."loose" AS t0
  WHERE TRUE AND (((t0."uid" > ?1 OR t0."uid" IS NULL)) OR ((t0."uid" = ?2) AND (t0."id" > ?3)))
  ORDER BY t0."uid" NULLS LAST, t0."id"
  LIMIT 2;

-- GET /t/loose/?fields=id&q={"at":"2022-03-20T01:02:03"}
-- level 0: loose
--   1: "2022-03-20T01:02:03"
--   2: "2022-03-20T01:02:03"
--   3: "2022-03-20T01:02:03"
--   4: 26
SELECT t0."id"
  FROM "main"."loose" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND t0."at" <= duet_latest(?2) AND duet_timestamp(t0."at") = duet_timestamp(?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/loose/?fields=id&q={"at":{"$gt":"2022-03-19"}}
-- level 0: loose
--   1: "2022-03-19T00:00:00"
--   2: "2022-03-19T00:00:00"
--   3: 26
SELECT t0."id"
  FROM "main"."loose" AS t0
  WHERE (t0."at" >= duet_earliest(?1) AND duet_timestamp(t0."at") BETWEEN duet_timestamp(?2) + 1 AND 9223372036854775807)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/loose/?fields=id&q={"at":{"$lt":"2022-03-20T01:00:00"}}
-- level 0: loose
--   1: "2022-03-20T01:00:00"
--   2: "2022-03-20T01:00:00"
--   3: 26
SELECT t0."id"
  FROM "main"."loose" AS t0
  WHERE (t0."at" >= '' AND t0."at" <= duet_latest(?1) AND duet_timestamp(t0."at") <= duet_timestamp(?2) - 1)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/loose/?fields=id&q={"uid":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}
-- level 0: loose
--   1: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
--   2: "A0Eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
--   3: "A0eEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
--   4: "A0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
--   5: "a0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
--   6: "a0Eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
--   7: "a0eEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
--   8: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
--   9: a0eebc999c0b4ef8bb6d6bb9bd380a11
--   10: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
--   11: 26
SELECT t0."id"
  FROM "main"."loose" AS t0
  WHERE ((t0."uid" BETWEEN ?1 AND ?2 OR t0."uid" BETWEEN ?3 AND ?4 OR t0."uid" BETWEEN ?5 AND ?6 OR t0."uid" BETWEEN ?7 AND ?8 OR t0."uid" = ?9) AND duet_uuid(t0."uid") = duet_uuid(?10))
  ORDER BY t0."id"
  LIMIT ?11;

-- GET /t/loose/?fields=id&q={"uid":"00112233-4455-6677-8899-aabbccddeeff"}
-- level 0: loose
--   1: "00112233-4455-6677-8899-AABBCCDDEEFF"
--   2: "00112233-4455-6677-8899-AAbbccddeeff"
--   3: "00112233-4455-6677-8899-AaBBCCDDEEFF"
--   4: "00112233-4455-6677-8899-Aabbccddeeff"
--   5: "00112233-4455-6677-8899-aABBCCDDEEFF"
--   6: "00112233-4455-6677-8899-aAbbccddeeff"
--   7: "00112233-4455-6677-8899-aaBBCCDDEEFF"
--   8: "00112233-4455-6677-8899-aabbccddeeff"
--   9: 00112233445566778899aabbccddeeff
--   10: "00112233-4455-6677-8899-aabbccddeeff"
--   11: 26
SELECT t0."id"
  FROM "main"."loose" AS t0
  WHERE ((t0."uid" BETWEEN ?1 AND ?2 OR t0."uid" BETWEEN ?3 AND ?4 OR t0."uid" BETWEEN ?5 AND ?6 OR t0."uid" BETWEEN ?7 AND ?8 OR t0."uid" = ?9) AND duet_uuid(t0."uid") = duet_uuid(?10))
  ORDER BY t0."id"
  LIMIT ?11;

-- GET /t/untyped/
-- level 0: untyped
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/untyped/1
-- level 0: untyped
--   1: "1" (part 1 of the key)
SELECT 1, t0."k", t0."v"
  FROM "main"."untyped" AS t0
  WHERE t0."k" IN (?1, duet_untyped_number(?1), duet_untyped_bytes(?1));

-- GET /t/untyped/2.5
-- level 0: untyped
--   1: "2.5" (part 1 of the key)
SELECT 1, t0."k", t0."v"
  FROM "main"."untyped" AS t0
  WHERE t0."k" IN (?1, duet_untyped_number(?1), duet_untyped_bytes(?1));

-- GET /t/untyped/three
-- level 0: untyped
--   1: "three" (part 1 of the key)
SELECT 1, t0."k", t0."v"
  FROM "main"."untyped" AS t0
  WHERE t0."k" IN (?1, duet_untyped_number(?1), duet_untyped_bytes(?1));

-- GET /t/untyped/4
-- level 0: untyped
--   1: "4" (part 1 of the key)
SELECT 1, t0."k", t0."v"
  FROM "main"."untyped" AS t0
  WHERE t0."k" IN (?1, duet_untyped_number(?1), duet_untyped_bytes(?1));

-- GET /t/untyped/5
-- level 0: untyped
--   1: "5" (part 1 of the key)
SELECT 1, t0."k", t0."v"
  FROM "main"."untyped" AS t0
  WHERE t0."k" IN (?1, duet_untyped_number(?1), duet_untyped_bytes(?1));

-- GET /t/untyped/?after=&limit=1
-- level 0: untyped
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: untyped
--   1: 6
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE AND ((t0."k" IS NOT NULL) OR (t0."k" IS NULL AND (t0."rowid" > ?1)))
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: untyped
--   1: 7
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE AND ((t0."k" IS NOT NULL) OR (t0."k" IS NULL AND (t0."rowid" > ?1)))
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: untyped
--   1: 1
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE AND (t0."k") > (?1)
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: untyped
--   1: 2.5
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE AND (t0."k") > (?1)
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: untyped
--   1: 10
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE AND (t0."k") > (?1)
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: untyped
--   1: "4"
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE TRUE AND (t0."k") > (?1)
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/untyped/?q={"v":"3"}
-- level 0: untyped
--   1: "3"
--   2: 26
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE t0."v" = ?1
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/untyped/?q={"v":{"$like":"%four%"}}
-- level 0: untyped
--   1: "%four%"
--   2: 26
SELECT t0."k", t0."v", t0."rowid"
  FROM "main"."untyped" AS t0
  WHERE duet_like(t0."v", ?1)
  ORDER BY t0."k" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/by_guid/
-- level 0: by_guid
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_guid" AS t0
  WHERE TRUE
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/by_guid/a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
-- level 0: by_guid
--   1: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" (part 1 of the key)
SELECT t0."id", t0."n"
  FROM "main"."by_guid" AS t0
  WHERE t0."id" IN (?1, upper(?1), unhex(?1, '-'));

-- GET /t/by_guid/A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11
-- level 0: by_guid
--   1: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" (part 1 of the key)
SELECT t0."id", t0."n"
  FROM "main"."by_guid" AS t0
  WHERE t0."id" IN (?1, upper(?1), unhex(?1, '-'));

-- GET /t/by_guid/00112233-4455-6677-8899-aabbccddeeff
-- level 0: by_guid
--   1: "00112233-4455-6677-8899-aabbccddeeff" (part 1 of the key)
SELECT t0."id", t0."n"
  FROM "main"."by_guid" AS t0
  WHERE t0."id" IN (?1, upper(?1), unhex(?1, '-'));

-- GET /t/by_guid/?after=&limit=1
-- level 0: by_guid
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_guid" AS t0
  WHERE TRUE
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_guid
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_guid" AS t0
  WHERE TRUE AND (t0."id") > (?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET the next page
-- level 0: by_guid
--   1: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
SELECT t0."id", t0."n", t0."rowid"
  FROM "main"."by_guid" AS t0
  WHERE TRUE AND (t0."id") > (?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 2;

-- GET /t/sums/
-- level 0: sums
SELECT t0."number", t0."n", t0."total"
  FROM "main"."sums" AS t0
  WHERE TRUE
  ORDER BY t0."number" NULLS LAST, t0."n" NULLS LAST, t0."total" NULLS LAST
  LIMIT 26;

-- GET /t/sums/?q={"$orderby":{"n":"DESC","total":"ASC"}}&limit=2
-- level 0: sums
SELECT t0."number", t0."n", t0."total"
  FROM "main"."sums" AS t0
  WHERE TRUE
  ORDER BY t0."n" DESC NULLS LAST, t0."total" NULLS LAST, t0."number" NULLS LAST
  LIMIT 3;
