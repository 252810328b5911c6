-- GET /t/item/
-- level 0: item
SELECT t0."id", t0."Name", t0."name", t0."NAME"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/Item/
-- level 0: Item
SELECT t0."id"
  FROM "public"."Item" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/item/1
-- level 0: item
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."Name", t0."name", t0."NAME"
  FROM "public"."item" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/Item/1
-- level 0: Item
--   1: 1 (part 1 of the key)
SELECT t0."id"
  FROM "public"."Item" AS t0
  WHERE t0."id" = ANY($1::int8[]);

-- GET /t/item/?q={"Name":"b"}
-- level 0: item
--   1: "b"
--   2: 26
SELECT t0."id", t0."Name", t0."name", t0."NAME"
  FROM "public"."item" AS t0
  WHERE t0."Name" = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/item/?fields=Name,NAME
-- level 0: item
SELECT t0."Name", t0."NAME", t0."id"
  FROM "public"."item" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/item/?q={"Name":"a","name":"b","NAME":"c"}
-- level 0: item
--   1: "a"
--   2: "b"
--   3: "c"
--   4: 26
SELECT t0."id", t0."Name", t0."name", t0."NAME"
  FROM "public"."item" AS t0
  WHERE (t0."Name" = $1::text AND t0."name" = $2::text AND t0."NAME" = $3::text)
  ORDER BY t0."id"
  LIMIT $4::int8;
