-- GET /t/order/
-- level 0: order
SELECT t0."Id", t0."Select", t0."select 2", t0."a""b", t0."Größe", t0."$cost"
  FROM "main"."Order" AS t0
  WHERE TRUE
  ORDER BY t0."Id"
  LIMIT 26;

-- GET /t/order/1
-- level 0: order
--   1: 1 (part 1 of the key)
SELECT t0."Id", t0."Select", t0."select 2", t0."a""b", t0."Größe", t0."$cost"
  FROM "main"."Order" AS t0
  WHERE t0."Id" = ?1;

-- GET /t/order/?fields=select,select 2,a"b,größe,$cost
-- level 0: order
SELECT t0."Select", t0."select 2", t0."a""b", t0."Größe", t0."$cost", t0."Id"
  FROM "main"."Order" AS t0
  WHERE TRUE
  ORDER BY t0."Id"
  LIMIT 26;

-- GET /t/order/?q={"a\"b":3,"größe":4,"$orderby":{"select 2":1}}
-- level 0: order
--   1: 3
--   2: 4
--   3: 26
SELECT t0."Id", t0."Select", t0."select 2", t0."a""b", t0."Größe", t0."$cost"
  FROM "main"."Order" AS t0
  WHERE (t0."a""b" = ?1 AND t0."Größe" = ?2)
  ORDER BY t0."select 2" NULLS LAST, t0."Id"
  LIMIT ?3;

-- GET /t/a%20b/1
-- level 0: a b
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."n"
  FROM "main"."a b" AS t0
  WHERE t0."id" = ?1;

-- GET /t/a%20b/?q={"n":2}
-- level 0: a b
--   1: 2
--   2: 26
SELECT t0."id", t0."n"
  FROM "main"."a b" AS t0
  WHERE t0."n" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/tab%22le%3B%20drop%20table%20x%3B%20--/
-- level 0: tab"le; drop table x; --
SELECT t0."col""; DROP", t0."x'y"
  FROM "main"."tab""le; DROP TABLE x; --" AS t0
  WHERE TRUE
  ORDER BY t0."col""; DROP"
  LIMIT 26;

-- GET /t/tab%22le%3B%20drop%20table%20x%3B%20--/1
-- level 0: tab"le; drop table x; --
--   1: 1 (part 1 of the key)
SELECT t0."col""; DROP", t0."x'y"
  FROM "main"."tab""le; DROP TABLE x; --" AS t0
  WHERE t0."col""; DROP" = ?1;

-- GET /t/stra%C3%9Fe%2Fweg/
-- level 0: straße/weg
SELECT t0."id"
  FROM "main"."Straße/Weg" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/stra%C3%9Fe%2Fweg/1
-- level 0: straße/weg
--   1: 1 (part 1 of the key)
SELECT t0."id"
  FROM "main"."Straße/Weg" AS t0
  WHERE t0."id" = ?1;

-- GET /t/searches/1
-- level 0: searches
--   1: 1 (part 1 of the key)
SELECT t0."id"
  FROM "main"."search" AS t0
  WHERE t0."id" = ?1;

-- GET /t/people/
-- level 0: people
SELECT t0."id", t0."FirstName", t0."links", t0."items"
  FROM "main"."person" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/people/1
-- level 0: people
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."FirstName", t0."links", t0."items"
  FROM "main"."person" AS t0
  WHERE t0."id" = ?1;

-- GET /t/people/?fields=first_name,urls
-- level 0: people
SELECT t0."FirstName", t0."links", t0."id"
  FROM "main"."person" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/dot.ted/?fields=list.price,a,b, a
-- level 0: dot.ted
SELECT t0."list.price", t0."a,b", t0."a", t0."id"
  FROM "main"."dot.ted" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/dot.ted/?fields=a,b
-- level 0: dot.ted
SELECT t0."a,b", t0."id"
  FROM "main"."dot.ted" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/dot.ted/?q={"list.price":10,"$orderby":{"list.price":"DESC"}}
-- level 0: dot.ted
--   1: 10
--   2: 26
SELECT t0."id", t0."list.price", t0."list", t0."a,b", t0."a"
  FROM "main"."dot.ted" AS t0
  WHERE t0."list.price" = ?1
  ORDER BY t0."list.price" DESC NULLS LAST, t0."id"
  LIMIT ?2;

-- GET /t/dot.ted/?q={"list":{"price":10}}
-- level 0: dot.ted
--   1: "[\"eq\",[\"price\"],10]"
--   2: 26
SELECT t0."id", t0."list.price", t0."list", t0."a,b", t0."a"
  FROM "main"."dot.ted" AS t0
  WHERE (duet_json(t0."list", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/dot.ted/?query=list.price < 10
-- level 0: dot.ted
--   1: 10
--   2: 26
SELECT t0."id", t0."list.price", t0."list", t0."a,b", t0."a"
  FROM "main"."dot.ted" AS t0
  WHERE t0."list.price" < ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/dot.ted/?expand=holder&fields=id,holder.dot.id
-- level 0: dot.ted
SELECT t0."id"
  FROM "main"."dot.ted" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: holder
--   1: part 1 of the keys that level 0 has brought
SELECT t1."dot.id", t1."dot.id"
  FROM "main"."holder" AS t1
  WHERE t1."dot.id" = ?1
  ORDER BY t1."id";

-- GET /t/holder/?expand=dot.ted&fields=id,dot.ted.list.price,dot.ted.a,b
-- level 0: holder
SELECT t0."id", t1."id", t1."list.price", t1."a,b"
  FROM "main"."holder" AS t0
  LEFT JOIN "main"."dot.ted" AS t1 ON t1."id" = t0."dot.id"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/holder/?expand=dot.ted&q={"dot.ted.list.price":5}
-- level 0: holder
--   1: 5
--   2: 26
SELECT t0."id", t0."dot.id", t1."id", t1."list.price", t1."list", t1."a,b", t1."a"
  FROM "main"."holder" AS t0
  JOIN "main"."dot.ted" AS t1 ON t1."id" = t0."dot.id"
  WHERE t1."list.price" = ?1
  ORDER BY t0."id"
  LIMIT ?2;
