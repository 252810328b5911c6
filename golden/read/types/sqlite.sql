-- GET /t/types/
-- level 0: types
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/1
-- level 0: types
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1;

-- GET /t/types/2
-- level 0: types
--   1: 2 (part 1 of the key)
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1;

-- GET /t/types/4
-- level 0: types
--   1: 4 (part 1 of the key)
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1;

-- GET /t/types/5
-- level 0: types
--   1: 5 (part 1 of the key)
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1;

-- GET /t/types/6
-- level 0: types
--   1: 6 (part 1 of the key)
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1;

-- GET /t/types/9007199254740993
-- level 0: types
--   1: 9007199254740993 (part 1 of the key)
SELECT t0."id", t0."flag", t0."small", t0."number", t0."big", t0."price", t0."whole", t0."ratio", t0."single", t0."double", t0."code", t0."name", t0."words", t0."bytes", t0."uid", t0."day", t0."clock", t0."clock_tz", t0."stamp", t0."moment", t0."span", t0."doc", t0."packed", t0."mood", t0."numbers", t0."labels", t0."host"
  FROM "main"."types" AS t0
  WHERE t0."id" = ?1;

-- GET /t/types/?fields=id,flag&q={"$orderby":{"flag":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."flag", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."flag" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,flag&q={"$orderby":{"flag":"DESC"}}
-- level 0: types
SELECT t0."id", t0."flag", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."flag" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,small&q={"$orderby":{"small":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."small", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."small" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,small&q={"$orderby":{"small":"DESC"}}
-- level 0: types
SELECT t0."id", t0."small", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."small" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,number&q={"$orderby":{"number":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."number", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."number" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,number&q={"$orderby":{"number":"DESC"}}
-- level 0: types
SELECT t0."id", t0."number", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."number" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,big&q={"$orderby":{"big":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."big", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."big" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,big&q={"$orderby":{"big":"DESC"}}
-- level 0: types
SELECT t0."id", t0."big", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."big" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,price&q={"$orderby":{"price":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."price", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."price" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,price&q={"$orderby":{"price":"DESC"}}
-- level 0: types
SELECT t0."id", t0."price", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."price" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,whole&q={"$orderby":{"whole":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."whole", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."whole" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,whole&q={"$orderby":{"whole":"DESC"}}
-- level 0: types
SELECT t0."id", t0."whole", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."whole" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,ratio&q={"$orderby":{"ratio":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."ratio", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."ratio" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,ratio&q={"$orderby":{"ratio":"DESC"}}
-- level 0: types
SELECT t0."id", t0."ratio", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."ratio" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,single&q={"$orderby":{"single":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."single", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."single" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,single&q={"$orderby":{"single":"DESC"}}
-- level 0: types
SELECT t0."id", t0."single", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."single" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,double&q={"$orderby":{"double":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."double", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."double" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,double&q={"$orderby":{"double":"DESC"}}
-- level 0: types
SELECT t0."id", t0."double", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."double" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,code&q={"$orderby":{"code":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."code", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."code" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,code&q={"$orderby":{"code":"DESC"}}
-- level 0: types
SELECT t0."id", t0."code", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."code" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,name&q={"$orderby":{"name":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."name", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."name" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,name&q={"$orderby":{"name":"DESC"}}
-- level 0: types
SELECT t0."id", t0."name", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."name" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,words&q={"$orderby":{"words":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."words", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."words" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,words&q={"$orderby":{"words":"DESC"}}
-- level 0: types
SELECT t0."id", t0."words", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."words" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,bytes&q={"$orderby":{"bytes":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."bytes", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."bytes" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,bytes&q={"$orderby":{"bytes":"DESC"}}
-- level 0: types
SELECT t0."id", t0."bytes", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."bytes" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,uid&q={"$orderby":{"uid":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."uid", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."uid" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,uid&q={"$orderby":{"uid":"DESC"}}
-- level 0: types
SELECT t0."id", t0."uid", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."uid" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,day&q={"$orderby":{"day":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."day", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."day" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,day&q={"$orderby":{"day":"DESC"}}
-- level 0: types
SELECT t0."id", t0."day", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."day" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,clock&q={"$orderby":{"clock":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."clock", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."clock" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,clock&q={"$orderby":{"clock":"DESC"}}
-- level 0: types
SELECT t0."id", t0."clock", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."clock" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,clock_tz&q={"$orderby":{"clock_tz":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."clock_tz", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_time(t0."clock_tz") NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,clock_tz&q={"$orderby":{"clock_tz":"DESC"}}
-- level 0: types
SELECT t0."id", t0."clock_tz", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_time(t0."clock_tz") DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,stamp&q={"$orderby":{"stamp":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."stamp", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."stamp") NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,stamp&q={"$orderby":{"stamp":"DESC"}}
-- level 0: types
SELECT t0."id", t0."stamp", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."stamp") DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,moment&q={"$orderby":{"moment":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."moment", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."moment") NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,moment&q={"$orderby":{"moment":"DESC"}}
-- level 0: types
SELECT t0."id", t0."moment", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."moment") DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,span&q={"$orderby":{"span":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."span", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_interval(t0."span") NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,span&q={"$orderby":{"span":"DESC"}}
-- level 0: types
SELECT t0."id", t0."span", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY duet_interval(t0."span") DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=id,mood&q={"$orderby":{"mood":"ASC"}}&after=&limit=3
-- level 0: types
--   1: 4
SELECT t0."id", t0."mood", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."mood" NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT ?1;

-- GET /t/types/?fields=id,mood&q={"$orderby":{"mood":"DESC"}}
-- level 0: types
SELECT t0."id", t0."mood", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."mood" DESC NULLS LAST, t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- GET /t/types/?fields=doc,packed,numbers,labels,host
-- level 0: types
SELECT t0."doc", t0."packed", t0."numbers", t0."labels", t0."host", t0."id", t0."rowid"
  FROM "main"."types" AS t0
  WHERE TRUE
  ORDER BY t0."id" NULLS FIRST, t0."rowid"
  LIMIT 26;
