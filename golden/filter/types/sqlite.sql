-- GET /t/types/?fields=id&q={"flag":true}
-- level 0: types
--   1: true
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."flag" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"flag":{"$ne":true}}
-- level 0: types
--   1: true
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."flag" <> ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"flag":0}
-- level 0: types
--   1: false
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."flag" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"big":9223372036854775807}
-- level 0: types
--   1: 9223372036854775807
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."big" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"big":{"$gte":9223372036854775807.5}}
-- level 0: types
--   1: 1
--   2: 0
--   3: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."big" >= ?1 AND t0."big" <= ?2)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- GET /t/types/?fields=id&q={"big":{"$gt":-9223372036854775809}}
-- level 0: types
--   1: -9223372036854775808
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."big" >= ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"id":9007199254740993}
-- level 0: types
--   1: 9007199254740993
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"id":9007199254740992}
-- level 0: types
--   1: 9007199254740992
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"price":0.5}
-- level 0: types
--   1: "0.5"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."price" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"price":"0.50"}
-- level 0: types
--   1: "0.5"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."price" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"price":{"$gt":9999999999.98}}
-- level 0: types
--   1: "9999999999.98"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."price" > ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"price":{"$in":[1,0.5]}}
-- level 0: types
--   1: "1"
--   2: "0.5"
--   3: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."price" IN (?1, ?2)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- GET /t/types/?fields=id&q={"ratio":{"$lt":0}}
-- level 0: types
--   1: "0"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."ratio" < ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"ratio":0.1}
-- level 0: types
--   1: "0.1"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."ratio" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"single":0.1}
-- level 0: types
--   1: "0.1"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."single" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"single":"Infinity"}
-- level 0: types
--   1: "Infinity"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."single" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"double":{"$gt":1e299}}
-- level 0: types
--   1: "1e299"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."double" > ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"double":{"$lt":"-1e300"}}
-- level 0: types
--   1: "-1e300"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."double" < ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"double":0.1}
-- level 0: types
--   1: "0.1"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."double" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"code":"x  "}
-- level 0: types
--   1: "x  "
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."code" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"uid":"6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB"}
-- level 0: types
--   1: "6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   2: "6F2C1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   3: "6F2c1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   4: "6F2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   5: "6f2C1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   6: "6f2C1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   7: "6f2c1D1E-5A0B-4C3D-9E8F-0123456789AB"
--   8: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   9: 6f2c1d1e5a0b4c3d9e8f0123456789ab
--   10: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   11: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE ((t0."uid" BETWEEN ?1 AND ?2 OR t0."uid" BETWEEN ?3 AND ?4 OR t0."uid" BETWEEN ?5 AND ?6 OR t0."uid" BETWEEN ?7 AND ?8 OR t0."uid" = ?9) AND duet_uuid(t0."uid") = duet_uuid(?10))
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?11;

-- GET /t/types/?fields=id&q={"uid":{"$gt":"6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"}}
-- level 0: types
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_uuid(t0."uid") > duet_uuid(?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"uid":{"$like":"%6789ab"}}
-- level 0: types
--   1: "%6789ab"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_like(t0."uid", ?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"day":"2024-02-29"}
-- level 0: types
--   1: "2024-02-29"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."day" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"day":{"$gte":{"$date":"2022-03-20T00:00:00Z"}}}
-- level 0: types
--   1: "2022-03-20"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."day" >= ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"clock":{"$between":["01:37","12:00:00.5"]}}
-- level 0: types
--   1: "01:37:00"
--   2: "12:00:00.5"
--   3: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."clock" >= ?1 AND t0."clock" <= ?2)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- GET /t/types/?fields=id&q={"clock_tz":"11:00:00-01:00"}
-- level 0: types
--   1: "11:00:00-01:00"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_time(t0."clock_tz") = duet_time(?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"clock_tz":{"$lt":"00:00:00Z"}}
-- level 0: types
--   1: "00:00:00Z"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_time(t0."clock_tz") < duet_time(?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"stamp":"2022-03-20"}
-- level 0: types
--   1: "2022-03-20T00:00:00"
--   2: "2022-03-20T00:00:00"
--   3: "2022-03-20T00:00:00"
--   4: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."stamp" >= duet_earliest(?1) AND t0."stamp" <= duet_latest(?2) AND duet_timestamp(t0."stamp") = duet_timestamp(?3))
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?4;

-- GET /t/types/?fields=id&q={"stamp":{"$gt":"2022-03-20T01:02:03"}}
-- level 0: types
--   1: "2022-03-20T01:02:03"
--   2: "2022-03-20T01:02:03"
--   3: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."stamp" >= duet_earliest(?1) AND duet_timestamp(t0."stamp") BETWEEN duet_timestamp(?2) + 1 AND 9223372036854775807)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- GET /t/types/?fields=id&q={"stamp":"2022-03-20T03:02:03.1+02:00"}
-- level 0: types
--   1: "2022-03-20T01:02:03.1"
--   2: "2022-03-20T01:02:03.1"
--   3: "2022-03-20T01:02:03.1"
--   4: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."stamp" >= duet_earliest(?1) AND t0."stamp" <= duet_latest(?2) AND duet_timestamp(t0."stamp") = duet_timestamp(?3))
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?4;

-- GET /t/types/?fields=id&q={"moment":"2022-03-20T01:02:03.25+02:00"}
-- level 0: types
--   1: "2022-03-19T23:02:03.25Z"
--   2: "2022-03-19T23:02:03.25Z"
--   3: "2022-03-19T23:02:03.25Z"
--   4: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."moment" >= duet_earliest(?1) AND t0."moment" <= duet_latest(?2) AND duet_timestamp(t0."moment") = duet_timestamp(?3))
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?4;

-- GET /t/types/?fields=id&q={"moment":{"$gte":"2022-03-20T00:00:00"}}
-- level 0: types
--   1: "2022-03-20T00:00:00Z"
--   2: "2022-03-20T00:00:00Z"
--   3: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (t0."moment" >= duet_earliest(?1) AND duet_timestamp(t0."moment") BETWEEN duet_timestamp(?2) AND 9223372036854775807)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- GET /t/types/?fields=id&q={"span":"P1DT8H"}
-- level 0: types
--   1: "P1DT8H"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_interval(t0."span") = duet_interval(?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"span":"PT32H"}
-- level 0: types
--   1: "PT32H"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_interval(t0."span") = duet_interval(?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"span":{"$gt":"PT1H"}}
-- level 0: types
--   1: "PT1H"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_interval(t0."span") > duet_interval(?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"mood":{"$in":["ok","sad"]}}
-- level 0: types
--   1: "ok"
--   2: "sad"
--   3: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."mood" IN (?1, ?2)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- GET /t/types/?fields=id&q={"mood":{"$gt":"happy"}}
-- level 0: types
--   1: "happy"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."mood" > ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"mood":{"$like":"%a%"}}
-- level 0: types
--   1: "%a%"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE duet_like(t0."mood", ?1)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;

-- GET /t/types/?fields=id&q={"doc":{"$null":null}}
-- level 0: types
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."doc" IS NULL
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id&q={"packed":{"$notnull":null}}
-- level 0: types
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (NOT t0."packed" IS NULL)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id&q={"bytes":null}
-- level 0: types
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."bytes" IS NULL
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id&q={"numbers":{"$exists":true}}
-- level 0: types
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE (NOT t0."numbers" IS NULL)
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id&q={"host":"10.0.0.1"}
-- level 0: types
--   1: "10.0.0.1"
--   2: 26
SELECT t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE t0."host" = ?1
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?2;
