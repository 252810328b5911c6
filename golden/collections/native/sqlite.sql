-- rec status==Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."status") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1 AND t0.rowid = sample.at;

-- rec status=zzz or title=*
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- rec title=* or status=closed
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- rec title=*
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- rec title=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT t0."title" IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT t0."title" IS NULL)
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (NOT t0."title" IS NULL) AND t0.rowid = sample.at;

-- rec contributors.name=="Creator B"
-- level 0: rec
--   1: "[\"eq\",[\"contributors\",\"name\"],\"Creator B\"]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"eq\",[\"contributors\",\"name\"],\"Creator B\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_json(t0."jsonb", ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"contributors\",\"name\"],\"Creator B\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1)) AND t0.rowid = sample.at;

-- rec contributors.name==creator*
-- level 0: rec
--   1: "[\"like\",[\"contributors\",\"name\"],\"creator%\"]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"like\",[\"contributors\",\"name\"],\"creator%\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_json(t0."jsonb", ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"like\",[\"contributors\",\"name\"],\"creator%\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1)) AND t0.rowid = sample.at;

-- rec tags==gift
-- level 0: rec
--   1: "[\"eq\",[\"tags\"],\"gift\"]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"eq\",[\"tags\"],\"gift\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_json(t0."jsonb", ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"tags\"],\"gift\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1)) AND t0.rowid = sample.at;

-- rec tags any "gift urgent"
-- level 0: rec
--   1: "[\"in\",[\"tags\"],\"gift\",\"urgent\"]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"in\",[\"tags\"],\"gift\",\"urgent\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_json(t0."jsonb", ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"in\",[\"tags\"],\"gift\",\"urgent\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1)) AND t0.rowid = sample.at;

-- rec quantity==4
-- level 0: rec
--   1: "4"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."quantity" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."quantity" = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."quantity" = ?1 AND t0.rowid = sample.at;

-- rec quantity < 9
-- level 0: rec
--   1: "9"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."quantity" < ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."quantity" < ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "9"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."quantity" < ?1 AND t0.rowid = sample.at;

-- rec quantity within "4 10"
-- level 0: rec
--   1: "4"
--   2: "10"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."quantity" >= ?1 AND t0."quantity" <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "4"
--   2: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."quantity" >= ?1 AND t0."quantity" <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "10"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."quantity" >= ?1 AND t0."quantity" <= ?2) AND t0.rowid = sample.at;

-- rec quantity any "4 10"
-- level 0: rec
--   1: "4"
--   2: "10"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."quantity" IN (?1, ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "4"
--   2: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."quantity" IN (?1, ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "10"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."quantity" IN (?1, ?2) AND t0.rowid = sample.at;

-- rec price==10
-- level 0: rec
--   1: "[\"in\",[\"price\"],\"10\",10]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"in\",[\"price\"],\"10\",10]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_json(t0."jsonb", ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"in\",[\"price\"],\"10\",10]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1)) AND t0.rowid = sample.at;

-- rec price ==/number 10
-- level 0: rec
--   1: "[\"eq\",[\"price\"],10]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"eq\",[\"price\"],10]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_json(t0."jsonb", ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"price\"],10]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_json(t0."jsonb", ?1)) AND t0.rowid = sample.at;

-- rec price < 9
-- level 0: rec
--   1: "[\"lt\",[\"price\"],\"9\"]"
--   2: "[\"lt\",[\"price\"],9]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_json(t0."jsonb", ?1)) OR (duet_json(t0."jsonb", ?2)))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"lt\",[\"price\"],\"9\"]"
--   2: "[\"lt\",[\"price\"],9]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_json(t0."jsonb", ?1)) OR (duet_json(t0."jsonb", ?2)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"lt\",[\"price\"],\"9\"]"
--   2: "[\"lt\",[\"price\"],9]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_json(t0."jsonb", ?1)) OR (duet_json(t0."jsonb", ?2))) AND t0.rowid = sample.at;

-- rec price within "5 20"
-- level 0: rec
--   1: "[\"between\",[\"price\"],\"5\",\"20\"]"
--   2: "[\"between\",[\"price\"],5,20]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_json(t0."jsonb", ?1)) OR (duet_json(t0."jsonb", ?2)))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"between\",[\"price\"],\"5\",\"20\"]"
--   2: "[\"between\",[\"price\"],5,20]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_json(t0."jsonb", ?1)) OR (duet_json(t0."jsonb", ?2)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"between\",[\"price\"],\"5\",\"20\"]"
--   2: "[\"between\",[\"price\"],5,20]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_json(t0."jsonb", ?1)) OR (duet_json(t0."jsonb", ?2))) AND t0.rowid = sample.at;

-- rec rush==true
-- level 0: rec
--   1: true
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rush" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: true
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rush" = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: true
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."rush" = ?1 AND t0.rowid = sample.at;

-- rec level==HIGH
-- level 0: rec
--   1: "High"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "High"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) = ?1 AND t0.rowid = sample.at;

-- rec level=low
-- level 0: rec
--   1: "low"
--   2: "very low"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IN (?1, ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "low"
--   2: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IN (?1, ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "low"
--   2: "very low"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IN (?1, ?2) AND t0.rowid = sample.at;

-- rec level<low
-- level 0: rec
--   1: "High"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "High"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) = ?1 AND t0.rowid = sample.at;

-- parents rec.level=""
-- level 0: parents
--   1: "High"
--   2: "low"
--   3: "very low"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2, ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "High"
--   2: "low"
--   3: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2, ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
--   2: "low"
--   3: "very low"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2, ?3)) AND t0.rowid = sample.at;

-- parents cql.allRecords=1 not rec.level=""
-- level 0: parents
--   1: "High"
--   2: "low"
--   3: "very low"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "main"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2, ?3))) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "High"
--   2: "low"
--   3: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE ((EXISTS (SELECT 1
          FROM "main"."rec" AS t1
          WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2, ?3))) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "High"
--   2: "low"
--   3: "very low"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "main"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2, ?3))) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec level="" sortBy level
-- level 0: rec
SELECT t0."jsonb", t0."id", (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END)
  FROM "main"."rec" AS t0
  WHERE (NOT (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IS NULL)
  ORDER BY (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IS NULL)
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (NOT (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IS NULL) AND t0.rowid = sample.at;

-- rec title==/unmasked C*algebra
-- level 0: rec
--   1: "c*algebra"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."title") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "c*algebra"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."title") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "c*algebra"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."title") = ?1 AND t0.rowid = sample.at;

-- rec code==/unmasked a*b?c
-- level 0: rec
--   1: "a*b?c"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "a*b?c"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "a*b?c"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec title==/substring YAK
-- level 0: rec
--   1: "yak"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_contains(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "yak"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_contains(duet_fold(t0."title"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "yak"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_contains(duet_fold(t0."title"), ?1) AND t0.rowid = sample.at;

-- rec title==/regexp "^[Cf].*a"
-- level 0: rec
--   1: "^[Cf].*a"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_regex(t0."title", ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "^[Cf].*a"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_regex(t0."title", ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "^[Cf].*a"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_regex(t0."title", ?1) AND t0.rowid = sample.at;

-- rec status =/string open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."status") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1 AND t0.rowid = sample.at;

-- rec status ==/respectCase Open
-- level 0: rec
--   1: "Open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold_accents(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "Open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold_accents(t0."status") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "Open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold_accents(t0."status") = ?1 AND t0.rowid = sample.at;

-- rec address.city ==/respectAccents sovang
-- level 0: rec
--   1: "sovang"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold_case((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "sovang"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold_case((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)) = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "sovang"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold_case((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)) = ?1 AND t0.rowid = sample.at;

-- rec ordered within "2019-06-01 2019-07-01"
-- level 0: rec
--   1: "2019-06-01"
--   2: "2019-07-01"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "2019-06-01"
--   2: "2019-07-01"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "2019-06-01"
--   2: "2019-07-01"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") <= ?2) AND t0.rowid = sample.at;

-- rec status within "closed open"
-- level 0: rec
--   1: "closed"
--   2: "open"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "closed"
--   2: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "closed"
--   2: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") <= ?2) AND t0.rowid = sample.at;

-- rec due ==/isoDate "2024-02-29T12:00:00+02:00"
-- level 0: rec
--   1: "2024-02-29T12:00:00+02:00"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) = duet_moment(?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "2024-02-29T12:00:00+02:00"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) = duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29T12:00:00+02:00"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) = duet_moment(?1) AND t0.rowid = sample.at;

-- rec due >=/isoDate 2024-02-29
-- level 0: rec
--   1: "2024-02-29"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "2024-02-29"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND t0.rowid = sample.at;

-- rec due </isoDate "2024-02-29T10:00:00.001Z"
-- level 0: rec
--   1: "2024-02-29T10:00:00.001Z"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) < duet_moment(?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "2024-02-29T10:00:00.001Z"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) < duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29T10:00:00.001Z"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) < duet_moment(?1) AND t0.rowid = sample.at;

-- rec due within/isoDate "2024-01-01 2024-12-31"
-- level 0: rec
--   1: "2024-01-01"
--   2: "2024-12-31"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <= duet_moment(?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "2024-01-01"
--   2: "2024-12-31"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <= duet_moment(?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-01-01"
--   2: "2024-12-31"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <= duet_moment(?2)) AND t0.rowid = sample.at;

-- rec due <>/isoDate 2024-02-29
-- level 0: rec
--   1: "2024-02-29"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <> duet_moment(?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "2024-02-29"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <> duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <> duet_moment(?1) AND t0.rowid = sample.at;

-- rec due >/isoDate "2023-12-31T23:59:59.9999999Z" sortBy title
-- level 0: rec
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: 101
SELECT t0."jsonb", t0."id", duet_fold(t0."title")
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) > duet_moment(?1)
  ORDER BY duet_fold(t0."title") NULLS LAST, t0."id"
  LIMIT ?2;

-- total
--   1: "2023-12-31T23:59:59.9999999Z"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) > duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2023-12-31T23:59:59.9999999Z"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) > duet_moment(?1) AND t0.rowid = sample.at;

-- rec due ==/isoDate "2024-01-01T01:59:59.999999999+02:00"
-- level 0: rec
--   1: "2024-01-01T01:59:59.999999999+02:00"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) = duet_moment(?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "2024-01-01T01:59:59.999999999+02:00"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) = duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-01-01T01:59:59.999999999+02:00"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) = duet_moment(?1) AND t0.rowid = sample.at;

-- rec due within/isoDate "2023-12-31T23:59:59.9999999Z 2024-01-01"
-- level 0: rec
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2024-01-01"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <= duet_moment(?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2024-01-01"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <= duet_moment(?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "2023-12-31T23:59:59.9999999Z"
--   2: "2024-01-01"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) >= duet_moment(?1) AND duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) <= duet_moment(?2)) AND t0.rowid = sample.at;

-- rec due </isoDate "2024-02-29T10:00:00.000000001Z" sortBy title
-- level 0: rec
--   1: "2024-02-29T10:00:00.000000001Z"
--   2: 101
SELECT t0."jsonb", t0."id", duet_fold(t0."title")
  FROM "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) < duet_moment(?1)
  ORDER BY duet_fold(t0."title") NULLS LAST, t0."id"
  LIMIT ?2;

-- total
--   1: "2024-02-29T10:00:00.000000001Z"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) < duet_moment(?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "2024-02-29T10:00:00.000000001Z"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_moment((CASE json_type(t0."jsonb", '$.due') WHEN 'text' THEN json_extract(t0."jsonb", '$.due') END)) < duet_moment(?1) AND t0.rowid = sample.at;

-- rec contributors.name==creator* prox/unit=element contributors.lang==english
-- level 0: rec
--   1: "[\"like\",[\"name\"],\"creator%\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"like\",[\"name\"],\"creator%\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"like\",[\"name\"],\"creator%\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2)))) AND t0.rowid = sample.at;

-- rec contributors.name=="Creator B" prox/unit=element contributors.lang==english
-- level 0: rec
--   1: "[\"eq\",[\"name\"],\"Creator B\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"eq\",[\"name\"],\"Creator B\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"name\"],\"Creator B\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2)))) AND t0.rowid = sample.at;

-- rec contributors.name=="Creator A" prox/unit=element contributors.lang==english
-- level 0: rec
--   1: "[\"eq\",[\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"eq\",[\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"lang\"],\"english\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2)))) AND t0.rowid = sample.at;

-- rec contributors.name=="Creator A" and contributors.lang==english
-- level 0: rec
--   1: "[\"eq\",[\"contributors\",\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"contributors\",\"lang\"],\"english\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_json(t0."jsonb", ?1)) AND (duet_json(t0."jsonb", ?2)))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"eq\",[\"contributors\",\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"contributors\",\"lang\"],\"english\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_json(t0."jsonb", ?1)) AND (duet_json(t0."jsonb", ?2)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"contributors\",\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"contributors\",\"lang\"],\"english\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_json(t0."jsonb", ?1)) AND (duet_json(t0."jsonb", ?2))) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 not (contributors.name=="Creator A" prox/unit=element contributors.lang==danish)
-- level 0: rec
--   1: "[\"eq\",[\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"lang\"],\"danish\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
        WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"eq\",[\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"lang\"],\"danish\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((EXISTS (SELECT 1
          FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
          WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"eq\",[\"name\"],\"Creator A\"]"
--   2: "[\"eq\",[\"lang\"],\"danish\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
        WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2))))) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec contributors.name<>"Creator A" prox/unit=element contributors.lang any "danish english"
-- level 0: rec
--   1: "[\"notnull\",[\"name\"]]"
--   2: "[\"eq\",[\"name\"],\"Creator A\"]"
--   3: "[\"in\",[\"lang\"],\"danish\",\"english\"]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (NOT coalesce(duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2), FALSE)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3))))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "[\"notnull\",[\"name\"]]"
--   2: "[\"eq\",[\"name\"],\"Creator A\"]"
--   3: "[\"in\",[\"lang\"],\"danish\",\"english\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (NOT coalesce(duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2), FALSE)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3))))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"notnull\",[\"name\"]]"
--   2: "[\"eq\",[\"name\"],\"Creator A\"]"
--   3: "[\"in\",[\"lang\"],\"danish\",\"english\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE ((duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) AND (NOT coalesce(duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?2), FALSE)) AND (duet_json((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)))) AND t0.rowid = sample.at;

-- rec contributors =/@typeId=T1 creator
-- level 0: rec
--   1: "[\"exists\",[\"name\"]]"
--   2: "=creator"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE (duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4)))
  ORDER BY t0."id"
  LIMIT ?5;

-- total
--   1: "[\"exists\",[\"name\"]]"
--   2: "=creator"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE (duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"name\"]]"
--   2: "=creator"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE (duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4))) AND t0.rowid = sample.at;

-- rec contributors =/@typeId=T1/@lang=english creator
-- level 0: rec
--   1: "[\"exists\",[\"name\"]]"
--   2: "=creator"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
--   5: "[\"exists\",[\"lang\"]]"
--   6: "=english"
--   7: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE (duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?5)), ?6)))
  ORDER BY t0."id"
  LIMIT ?7;

-- total
--   1: "[\"exists\",[\"name\"]]"
--   2: "=creator"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
--   5: "[\"exists\",[\"lang\"]]"
--   6: "=english"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE (duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?5)), ?6)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"name\"]]"
--   2: "=creator"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
--   5: "[\"exists\",[\"lang\"]]"
--   6: "=english"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE (duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4) AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?5)), ?6))) AND t0.rowid = sample.at;

-- rec contributors =/@lang english
-- level 0: rec
--   1: "[\"exists\",[\"lang\"]]"
--   2: "=english"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"lang\"]]"
--   2: "=english"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"lang\"]]"
--   2: "=english"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)), ?2)) AND t0.rowid = sample.at;

-- rec id==1*
-- level 0: rec
--   1: "1"
--   2: "2"
--   3: "1%"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."id" >= ?1 AND t0."id" < ?2 AND duet_like(t0."id", ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "1"
--   2: "2"
--   3: "1%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."id" >= ?1 AND t0."id" < ?2 AND duet_like(t0."id", ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: "1"
--   2: "2"
--   3: "1%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."id" >= ?1 AND t0."id" < ?2 AND duet_like(t0."id", ?3)) AND t0.rowid = sample.at;

-- rec id=zz
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE FALSE
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE FALSE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE FALSE AND t0.rowid = sample.at;

-- rec parent.workflowStatus==Open sortBy parent.workflowStatus title
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id", duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)), duet_fold(t0."title")
  FROM "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
  ORDER BY duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) NULLS LAST, duet_fold(t0."title") NULLS LAST, t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
    WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1 AND t0.rowid = sample.at;

-- parents (rec.rush==true prox/unit=element rec.code==AB-100)
-- level 0: parents
--   1: true
--   2: "ab-100"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (t1."rush" = ?1 AND duet_fold(t1."code") = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: true
--   2: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND (t1."rush" = ?1 AND duet_fold(t1."code") = ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: true
--   2: "ab-100"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (t1."rush" = ?1 AND duet_fold(t1."code") = ?2)) AND t0.rowid = sample.at;

-- parents (rec.rush==true prox/unit=element rec.code==AB-101)
-- level 0: parents
--   1: true
--   2: "ab-101"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (t1."rush" = ?1 AND duet_fold(t1."code") = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: true
--   2: "ab-101"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND (t1."rush" = ?1 AND duet_fold(t1."code") = ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: true
--   2: "ab-101"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (t1."rush" = ?1 AND duet_fold(t1."code") = ?2)) AND t0.rowid = sample.at;

-- rec kayak
-- level 0: rec
--   1: "(\"kayak\")"
--   2: "=kayak"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1) OR duet_words(duet_fold(t0."code"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "(\"kayak\")"
--   2: "=kayak"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_ft"
        WHERE "rec_title_idx_ft" MATCH ?1) OR duet_words(duet_fold(t0."code"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"kayak\")"
--   2: "=kayak"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1) OR duet_words(duet_fold(t0."code"), ?2)) AND t0.rowid = sample.at;

-- rec cql.serverChoice==ab-100
-- level 0: rec
--   1: "ab-100"
--   2: "ab-100"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."title") = ?1 OR duet_fold(t0."code") = ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "ab-100"
--   2: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."title") = ?1 OR duet_fold(t0."code") = ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "ab-100"
--   2: "ab-100"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."title") = ?1 OR duet_fold(t0."code") = ?2) AND t0.rowid = sample.at;

-- rec title="foo-bar"
-- level 0: rec
--   1: "(\"foo-bar foo bar\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"foo-bar foo bar\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"foo-bar foo bar\")"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1) AND t0.rowid = sample.at;

-- rec title="123 456"
-- level 0: rec
--   1: "(\"123 456\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"123 456\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"123 456\")"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1) AND t0.rowid = sample.at;

-- rec title="foo-b*"
-- level 0: rec
--   1: "(\"foo-b\" * AND \"foo\" * AND \"b\" *)"
--   2: "*foo-b"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "(\"foo-b\" * AND \"foo\" * AND \"b\" *)"
--   2: "*foo-b"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_ft"
        WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"foo-b\" * AND \"foo\" * AND \"b\" *)"
--   2: "*foo-b"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2)) AND t0.rowid = sample.at;

-- rec title==*yak*
-- level 0: rec
--   1: "\"yak\""
--   2: "%yak%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_gin"
      WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "\"yak\""
--   2: "%yak%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_gin"
        WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "\"yak\""
--   2: "%yak%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_gin"
      WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2)) AND t0.rowid = sample.at;

-- rec title=="*yak*ish*"
-- level 0: rec
--   1: "\"ish\" AND \"yak\""
--   2: "%yak%ish%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_gin"
      WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "\"ish\" AND \"yak\""
--   2: "%yak%ish%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_gin"
        WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "\"ish\" AND \"yak\""
--   2: "%yak%ish%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_gin"
      WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2)) AND t0.rowid = sample.at;

-- rec title==*KAY?k*
-- level 0: rec
--   1: "\"kay\""
--   2: "%kay_k%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_gin"
      WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "\"kay\""
--   2: "%kay_k%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_gin"
        WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "\"kay\""
--   2: "%kay_k%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_gin"
      WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2)) AND t0.rowid = sample.at;

-- rec title==*ya*
-- level 0: rec
--   1: "%ya%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "%ya%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_like(duet_fold(t0."title"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "%ya%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."title"), ?1) AND t0.rowid = sample.at;

-- rec code==*b-1*
-- level 0: rec
--   1: "\"b-1\""
--   2: "%b-1%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_code_idx_gin"
      WHERE "rec_code_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."code"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "\"b-1\""
--   2: "%b-1%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_code_idx_gin"
        WHERE "rec_code_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."code"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "\"b-1\""
--   2: "%b-1%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_code_idx_gin"
      WHERE "rec_code_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."code"), ?2)) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 not title==*yak*
-- level 0: rec
--   1: "\"yak\""
--   2: "%yak%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (((t0."rowid" IN (SELECT rowid
          FROM "main"."rec_title_idx_gin"
          WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "\"yak\""
--   2: "%yak%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (((t0."rowid" IN (SELECT rowid
            FROM "main"."rec_title_idx_gin"
            WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "\"yak\""
--   2: "%yak%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (((t0."rowid" IN (SELECT rowid
          FROM "main"."rec_title_idx_gin"
          WHERE "rec_title_idx_gin" MATCH ?1) AND duet_like(duet_fold(t0."title"), ?2))) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec title="kay* fish*"
-- level 0: rec
--   1: "(\"kay\" * AND \"fish\" *)"
--   2: "*kay *fish"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "(\"kay\" * AND \"fish\" *)"
--   2: "*kay *fish"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_ft"
        WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"kay\" * AND \"fish\" *)"
--   2: "*kay *fish"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2)) AND t0.rowid = sample.at;

-- rec title all "kay* art"
-- level 0: rec
--   1: "(\"kay\" * AND \"art\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"kay\" * AND \"art\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"kay\" * AND \"art\")"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 not title="kay* fish*"
-- level 0: rec
--   1: "(\"kay\" * AND \"fish\" *)"
--   2: "*kay *fish"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (((t0."rowid" IN (SELECT rowid
          FROM "main"."rec_title_idx_ft"
          WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "(\"kay\" * AND \"fish\" *)"
--   2: "*kay *fish"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (((t0."rowid" IN (SELECT rowid
            FROM "main"."rec_title_idx_ft"
            WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"kay\" * AND \"fish\" *)"
--   2: "*kay *fish"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (((t0."rowid" IN (SELECT rowid
          FROM "main"."rec_title_idx_ft"
          WHERE "rec_title_idx_ft" MATCH ?1) AND duet_words(duet_fold(t0."title"), ?2))) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 sortBy quantity/descending
-- level 0: rec
SELECT t0."jsonb", t0."id", t0."quantity"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."quantity" DESC NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- rec cql.allRecords=1 sortBy price
-- level 0: rec
--   1: "[\"exists\",[\"price\"]]"
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_json_order(t0."jsonb", ?1) NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- rec cql.allRecords=1 sortBy title/respectCase
-- level 0: rec
SELECT t0."jsonb", t0."id", duet_fold_accents(t0."title")
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold_accents(t0."title") NULLS LAST, t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- stays period within "2024-01-01 2024-02-10T10:00:00Z"
-- level 0: stays
--   1: 1707559200000000
--   2: 1704067200000000
--   3: "[2024-01-01T00:00:00,2024-02-10T10:00:00]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 1707559200000000
--   2: 1704067200000000
--   3: "[2024-01-01T00:00:00,2024-02-10T10:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 1707559200000000
--   2: 1704067200000000
--   3: "[2024-01-01T00:00:00,2024-02-10T10:00:00]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3)) AND t0.rowid = sample.at;

-- stays period within "2024-01-01 2024-02-10T09:59:59.999999Z"
-- level 0: stays
--   1: 1707559199999999
--   2: 1704067200000000
--   3: "[2024-01-01T00:00:00,2024-02-10T09:59:59.999999]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 1707559199999999
--   2: 1704067200000000
--   3: "[2024-01-01T00:00:00,2024-02-10T09:59:59.999999]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 1707559199999999
--   2: 1704067200000000
--   3: "[2024-01-01T00:00:00,2024-02-10T09:59:59.999999]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3)) AND t0.rowid = sample.at;

-- stays period within "2024-01-01 *"
-- level 0: stays
--   1: 1704067200000000
--   2: "[2024-01-01T00:00:00,]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE high >= ?1) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: 1704067200000000
--   2: "[2024-01-01T00:00:00,]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE high >= ?1) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: 1704067200000000
--   2: "[2024-01-01T00:00:00,]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE high >= ?1) AND duet_within(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2)) AND t0.rowid = sample.at;

-- stays period within/partial "2024-01-31 2024-01-31"
-- level 0: stays
--   1: 1706659200000000
--   2: 1706659200000000
--   3: "[2024-01-31T00:00:00,2024-01-31T00:00:00]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 1706659200000000
--   2: 1706659200000000
--   3: "[2024-01-31T00:00:00,2024-01-31T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 1706659200000000
--   2: 1706659200000000
--   3: "[2024-01-31T00:00:00,2024-01-31T00:00:00]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3)) AND t0.rowid = sample.at;

-- stays period within/partial "* 2024-01-31"
-- level 0: stays
--   1: 1706659200000000
--   2: "[,2024-01-31T00:00:00]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: 1706659200000000
--   2: "[,2024-01-31T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: 1706659200000000
--   2: "[,2024-01-31T00:00:00]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2)) AND t0.rowid = sample.at;

-- stays period encloses 2024-02-05
-- level 0: stays
--   1: 1707091200000000
--   2: 1707091200000000
--   3: "[2024-02-05T00:00:00,2024-02-05T00:00:00]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_encloses(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 1707091200000000
--   2: 1707091200000000
--   3: "[2024-02-05T00:00:00,2024-02-05T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_encloses(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 1707091200000000
--   2: 1707091200000000
--   3: "[2024-02-05T00:00:00,2024-02-05T00:00:00]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_encloses(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3)) AND t0.rowid = sample.at;

-- stays period encloses "2024-02-02 *"
-- level 0: stays
--   1: 1706832000000000
--   2: "[2024-02-02T00:00:00,]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1) AND duet_encloses(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: 1706832000000000
--   2: "[2024-02-02T00:00:00,]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1) AND duet_encloses(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: 1706832000000000
--   2: "[2024-02-02T00:00:00,]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1) AND duet_encloses(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?2)) AND t0.rowid = sample.at;

-- stays period encloses/partial 2024-01-15
-- level 0: stays
--   1: 1705276800000000
--   2: 1705276800000000
--   3: "[2024-01-15T00:00:00,2024-01-15T00:00:00]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 1705276800000000
--   2: 1705276800000000
--   3: "[2024-01-15T00:00:00,2024-01-15T00:00:00]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_period_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 1705276800000000
--   2: 1705276800000000
--   3: "[2024-01-15T00:00:00,2024-01-15T00:00:00]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_period_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?3)) AND t0.rowid = sample.at;

-- stays period = ""
-- level 0: stays
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (NOT duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to') IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (NOT duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to') IS NULL)
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (NOT duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to') IS NULL) AND t0.rowid = sample.at;

-- stays cql.allRecords=1 not period within/partial "* *"
-- level 0: stays
--   1: "[,]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE ((duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?1)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[,]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE ((duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?1)) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "[,]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE ((duet_overlaps(duet_pair('moment_range', t0."jsonb" -> '$.from', t0."jsonb" -> '$.to'), ?1)) IS NOT TRUE) AND t0.rowid = sample.at;

-- stays prices within "10 20.5"
-- level 0: stays
--   1: 20.5
--   2: 10
--   3: "[10,20.5]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_prices_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 20.5
--   2: 10
--   3: "[10,20.5]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_prices_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 20.5
--   2: 10
--   3: "[10,20.5]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_prices_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_within(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3)) AND t0.rowid = sample.at;

-- stays prices within/partial "20 20"
-- level 0: stays
--   1: 20
--   2: 20
--   3: "[20,20]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_prices_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 20
--   2: 20
--   3: "[20,20]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_prices_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 20
--   2: 20
--   3: "[20,20]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_prices_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_overlaps(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3)) AND t0.rowid = sample.at;

-- stays prices encloses 12.5
-- level 0: stays
--   1: 12.5
--   2: 12.5
--   3: "[12.5,12.5]"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_prices_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_encloses(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: 12.5
--   2: 12.5
--   3: "[12.5,12.5]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_prices_idx_range"
        WHERE low <= ?1 AND high >= ?2) AND duet_encloses(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: 12.5
--   2: 12.5
--   3: "[12.5,12.5]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_prices_idx_range"
      WHERE low <= ?1 AND high >= ?2) AND duet_encloses(duet_pair('number_range', t0."jsonb" -> '$.price.least', t0."jsonb" -> '$.price.most'), ?3)) AND t0.rowid = sample.at;

-- stays spot within "4.7 52.1 5.1 52.4"
-- level 0: stays
--   1: 5.1
--   2: 4.7
--   3: 52.4
--   4: 52.1
--   5: "(4.7,52.1),(5.1,52.4)"
--   6: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_spot_idx_point"
      WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5))
  ORDER BY t0."id"
  LIMIT ?6;

-- total
--   1: 5.1
--   2: 4.7
--   3: 52.4
--   4: 52.1
--   5: "(4.7,52.1),(5.1,52.4)"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_spot_idx_point"
        WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5))
    LIMIT 10001) AS n;

-- estimate
--   1: 5.1
--   2: 4.7
--   3: 52.4
--   4: 52.1
--   5: "(4.7,52.1),(5.1,52.4)"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_spot_idx_point"
      WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5)) AND t0.rowid = sample.at;

-- stays spot within "4.9 52.4 4.9 52.4"
-- level 0: stays
--   1: 4.9
--   2: 4.9
--   3: 52.4
--   4: 52.4
--   5: "(4.9,52.4),(4.9,52.4)"
--   6: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_spot_idx_point"
      WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5))
  ORDER BY t0."id"
  LIMIT ?6;

-- total
--   1: 4.9
--   2: 4.9
--   3: 52.4
--   4: 52.4
--   5: "(4.9,52.4),(4.9,52.4)"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_spot_idx_point"
        WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5))
    LIMIT 10001) AS n;

-- estimate
--   1: 4.9
--   2: 4.9
--   3: 52.4
--   4: 52.4
--   5: "(4.9,52.4),(4.9,52.4)"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_spot_idx_point"
      WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5)) AND t0.rowid = sample.at;

-- stays spot within "-180 -90 180 90" sortBy spot/nearest="4.8 52.4"
-- level 0: stays
--   1: "(4.8,52.4)"
--   2: 180
--   3: -180
--   4: 90
--   5: -90
--   6: "(-180.0,-90.0),(180.0,90.0)"
--   7: "(4.8,52.4)"
--   8: 101
SELECT t0."jsonb", t0."id", duet_point_distance(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?1)
  FROM "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_spot_idx_point"
      WHERE low_x <= ?2 AND high_x >= ?3 AND low_y <= ?4 AND high_y >= ?5) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?6))
  ORDER BY duet_point_distance(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?7) NULLS LAST, t0."id"
  LIMIT ?8;

-- total
--   1: 180
--   2: -180
--   3: 90
--   4: -90
--   5: "(-180.0,-90.0),(180.0,90.0)"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE (t0."rowid" IN (SELECT id
        FROM "main"."stays_spot_idx_point"
        WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5))
    LIMIT 10001) AS n;

-- estimate
--   1: 180
--   2: -180
--   3: 90
--   4: -90
--   5: "(-180.0,-90.0),(180.0,90.0)"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE (t0."rowid" IN (SELECT id
      FROM "main"."stays_spot_idx_point"
      WHERE low_x <= ?1 AND high_x >= ?2 AND low_y <= ?3 AND high_y >= ?4) AND duet_in_area(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?5)) AND t0.rowid = sample.at;

-- stays cql.allRecords=1 sortBy spot/nearest="4.8,52.4"
-- level 0: stays
--   1: "(4.8,52.4)"
--   2: "(4.8,52.4)"
--   3: 101
SELECT t0."jsonb", t0."id", duet_point_distance(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?1)
  FROM "main"."stays" AS t0
  WHERE TRUE
  ORDER BY duet_point_distance(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?2) NULLS LAST, t0."id"
  LIMIT ?3;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- stays cql.allRecords=1 sortBy spot/nearest="0 0"/descending
-- level 0: stays
--   1: "(0.0,0.0)"
--   2: "(0.0,0.0)"
--   3: 101
SELECT t0."jsonb", t0."id", duet_point_distance(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?1)
  FROM "main"."stays" AS t0
  WHERE TRUE
  ORDER BY duet_point_distance(duet_pair('point', t0."jsonb" -> '$.place.lon', t0."jsonb" -> '$.place.lat'), ?2) DESC NULLS LAST, t0."id"
  LIMIT ?3;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."stays" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."stays" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."stays" AS t0
  WHERE TRUE AND t0.rowid = sample.at;
