-- GET /t/doc_dv/?fields=_id&q={"j.winner.name":"Leclerc"}
-- level 0: doc
--   1: "[\"eq\",[\"winner\",\"name\"],\"Leclerc\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j":{"winner":{"name":{"$like":"%stap%"}}}}
-- level 0: doc
--   1: "[\"like\",[\"winner\",\"name\"],\"%stap%\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.points":{"$gte":25.5}}
-- level 0: doc
--   1: "[\"gte\",[\"winner\",\"points\"],25.5]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.points":"25"}
-- level 0: doc
--   1: "[\"eq\",[\"winner\",\"points\"],\"25\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.points":{"$between":[null,25]}}
-- level 0: doc
--   1: "[\"between\",[\"winner\",\"points\"],true,25]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$contains":"wet"}}
-- level 0: doc
--   1: "[\"eq\",[\"tags\"],\"wet\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$in":["night",7]}}
-- level 0: doc
--   1: "[\"in\",[\"tags\"],\"night\",7]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$not":"wet"}}
-- level 0: doc
--   1: "[\"eq\",[\"tags\"],\"wet\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (NOT coalesce(duet_json(t0."j", ?1), FALSE))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.laps.ms":{"$gt":80}}
-- level 0: doc
--   1: "[\"gt\",[\"laps\",\"ms\"],80]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner":null}
-- level 0: doc
--   1: "[\"null\",[\"winner\"]]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner":{"$exists":false}}
-- level 0: doc
--   1: "[\"exists\",[\"winner\"]]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (NOT coalesce(duet_json(t0."j", ?1), FALSE))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner":{"$notnull":null}}
-- level 0: doc
--   1: "[\"notnull\",[\"winner\"]]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j":null}
-- level 0: doc
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE t0."j" IS NULL
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"color":{"$ne":"blue"}}
-- level 0: doc
--   1: "[\"ne\",[\"color\"],\"blue\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."extras", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"color":null}
-- level 0: doc
--   1: "[\"null\",[\"color\"]]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."extras", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"name":"hidden"}
-- level 0: doc
--   1: "hidden"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE t0."name" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"part.j.ok":true}
-- level 0: doc
--   1: "[\"eq\",[\"ok\"],true]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."part" AS t1
    WHERE t1."doc_id" = t0."id" AND (duet_json(t1."j", ?1)))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"part.j.ok":{"$nin":[false]}}
-- level 0: doc
--   1: "[\"in\",[\"ok\"],false]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (NOT EXISTS (SELECT 1
      FROM "main"."part" AS t1
      WHERE t1."doc_id" = t0."id" AND (duet_json(t1."j", ?1))))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc/?fields=id&q={"j.winner.name":"Leclerc"}
-- level 0: doc
--   1: "[\"eq\",[\"winner\",\"name\"],\"Leclerc\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc/?fields=id&q={"extras.color":7}
-- level 0: doc
--   1: "[\"eq\",[\"color\"],7]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."extras", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.winner.name":{"$regex":"^(?:Le|Ve).*n?$"}}
-- level 0: doc
--   1: "[\"regex\",[\"winner\",\"name\"],\"^(?:Le|Ve).*n?$\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"$orderby":{"j.winner.points":"DESC"}}
-- level 0: doc
--   1: "[\"exists\",[\"winner\",\"points\"]]"
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY duet_json_order(t0."j", ?1) DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"$orderby":[{"color":1},{"name":-1}]}
-- level 0: doc
--   1: "[\"exists\",[\"color\"]]"
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY duet_json_order(t0."extras", ?1) NULLS LAST, t0."name" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"$orderby":{"j.tags":1}}
-- level 0: doc
--   1: "[\"exists\",[\"tags\"]]"
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY duet_json_order(t0."j", ?1) NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"color":{"$exists":true},"$orderby":{"color":"DESC"}}&limit=1&offset=1
-- level 0: doc
--   1: "[\"exists\",[\"color\"]]"
--   2: "[\"exists\",[\"color\"]]"
--   3: 2
--   4: 1
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."extras", ?1))
  ORDER BY duet_json_order(t0."extras", ?2) DESC NULLS LAST, t0."id"
  LIMIT ?3 OFFSET ?4;

-- GET /t/doc/?fields=id&q={"$orderby":{"j":"DESC","extras.color":"ASC"}}
-- level 0: doc
--   1: "[\"exists\",[]]"
--   2: "[\"exists\",[\"color\"]]"
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY duet_json_order(t0."j", ?1) DESC NULLS LAST, duet_json_order(t0."extras", ?2) NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$size":2}}
-- level 0: doc
--   1: "[\"size eq\",[\"tags\"],2]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$size":{"$lt":2}}}
-- level 0: doc
--   1: "[\"size lt\",[\"tags\"],2]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j.laps":{"$size":{"$gte":1,"$ne":3}}}
-- level 0: doc
--   1: "[\"size gte\",[\"laps\"],1]"
--   2: "[\"size ne\",[\"laps\"],3]"
--   3: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE ((duet_json(t0."j", ?1)) AND (duet_json(t0."j", ?2)))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/doc_dv/?fields=_id&q={"j.tags":{"$not":{"$size":0}}}
-- level 0: doc
--   1: "[\"size eq\",[\"tags\"],0]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (NOT coalesce(duet_json(t0."j", ?1), FALSE))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id&q={"j":{"$size":3}}
-- level 0: doc
--   1: "[\"size eq\",[],3]"
--   2: 26
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE (duet_json(t0."j", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/doc_dv/?fields=_id,color
-- level 0: doc
SELECT t0."id", t0."extras"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/doc_dv/?fields=color&limit=1
-- level 0: doc
SELECT t0."extras", t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 2;

-- GET /t/nest_dv/?fields=part.ok
-- level 0: doc
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: part
--   1: part 1 of the keys that level 0 has brought
SELECT t1."doc_id", t1."j"
  FROM "main"."part" AS t1
  WHERE t1."doc_id" = ?1
  ORDER BY t1."id";

-- GET /t/nest_dv/?fields=_id,part.id,PART.ok
-- level 0: doc
SELECT t0."id"
  FROM "main"."doc" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: part
--   1: part 1 of the keys that level 0 has brought
SELECT t1."doc_id", t1."id", t1."j"
  FROM "main"."part" AS t1
  WHERE t1."doc_id" = ?1
  ORDER BY t1."id";
