-- rec cql.allRecords=1
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

-- rec cql.allRecords=0
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

-- rec status<>Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."status") <> ?1
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
  WHERE duet_fold(t0."status") <> ?1 AND t0.rowid = sample.at;

-- rec status=Open
-- level 0: rec
--   1: "=open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "=open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(t0."status"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "=open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(t0."status"), ?1) AND t0.rowid = sample.at;

-- rec status==Open order
-- level 0: rec
--   1: "open order"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open order"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."status") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "open order"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1 AND t0.rowid = sample.at;

-- rec status==Open*
-- level 0: rec
--   1: "open"
--   2: "opeo"
--   3: "open%"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") < ?2 AND duet_like(duet_fold(t0."status"), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "open"
--   2: "opeo"
--   3: "open%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") < ?2 AND duet_like(duet_fold(t0."status"), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "opeo"
--   3: "open%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") < ?2 AND duet_like(duet_fold(t0."status"), ?3)) AND t0.rowid = sample.at;

-- rec status==*pen*
-- level 0: rec
--   1: "%pen%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "%pen%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_like(duet_fold(t0."status"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "%pen%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."status"), ?1) AND t0.rowid = sample.at;

-- rec status==Ope?
-- level 0: rec
--   1: "ope"
--   2: "opf"
--   3: "ope_"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") < ?2 AND duet_like(duet_fold(t0."status"), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "ope"
--   2: "opf"
--   3: "ope_"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") < ?2 AND duet_like(duet_fold(t0."status"), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: "ope"
--   2: "opf"
--   3: "ope_"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."status") >= ?1 AND duet_fold(t0."status") < ?2 AND duet_like(duet_fold(t0."status"), ?3)) AND t0.rowid = sample.at;

-- rec status<>Open*
-- level 0: rec
--   1: "open%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT duet_like(duet_fold(t0."status"), ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT duet_like(duet_fold(t0."status"), ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "open%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (NOT duet_like(duet_fold(t0."status"), ?1)) AND t0.rowid = sample.at;

-- rec title="kayak fishing"
-- level 0: rec
--   1: "(\"kayak fishing\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"kayak fishing\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"kayak fishing\")"
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

-- rec title adj "fishing kayak"
-- level 0: rec
--   1: "(\"fishing kayak\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"fishing kayak\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"fishing kayak\")"
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

-- rec title all "fishing kayak"
-- level 0: rec
--   1: "(\"fishing\" AND \"kayak\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"fishing\" AND \"kayak\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"fishing\" AND \"kayak\")"
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

-- rec title any "fishing baz"
-- level 0: rec
--   1: "(\"fishing\") OR (\"baz\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"fishing\") OR (\"baz\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"fishing\") OR (\"baz\")"
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

-- rec title=kay*
-- level 0: rec
--   1: "(\"kay\" *)"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"kay\" *)"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"kay\" *)"
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

-- rec title="art *"
-- level 0: rec
--   1: "(\"art\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"art\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"art\")"
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

-- rec title=^bar
-- level 0: rec
--   1: "(\"bar\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"bar\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"bar\")"
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

-- rec title="!"
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

-- rec title=bar
-- level 0: rec
--   1: "(\"bar\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"bar\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"bar\")"
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

-- rec title="bar baz"
-- level 0: rec
--   1: "(\"bar baz\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"bar baz\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"bar baz\")"
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

-- rec title="foo-bar-baz"
-- level 0: rec
--   1: "(\"foo-bar-baz foo bar baz\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"foo-bar-baz foo bar baz\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"foo-bar-baz foo bar baz\")"
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

-- rec title="123-456"
-- level 0: rec
--   1: "(\"123 -456\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rowid" IN (SELECT rowid
    FROM "main"."rec_title_idx_ft"
    WHERE "rec_title_idx_ft" MATCH ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"123 -456\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"123 -456\")"
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

-- rec title==""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."title") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."title") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: ""
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."title") = ?1 AND t0.rowid = sample.at;

-- rec title<>""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."title") <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."title") <> ?1
    LIMIT 10001) AS n;

-- estimate
--   1: ""
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."title") <> ?1 AND t0.rowid = sample.at;

-- rec cql.allRecords=1 NOT title=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (((NOT t0."title" IS NULL)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (((NOT t0."title" IS NULL)) IS NOT TRUE)
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
  WHERE (((NOT t0."title" IS NULL)) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 NOT title==""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(t0."title") = ?1) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_fold(t0."title") = ?1) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: ""
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_fold(t0."title") = ?1) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec title="" NOT title==""
-- level 0: rec
--   1: ""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((NOT t0."title" IS NULL) AND ((duet_fold(t0."title") = ?1) IS NOT TRUE))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: ""
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((NOT t0."title" IS NULL) AND ((duet_fold(t0."title") = ?1) IS NOT TRUE))
    LIMIT 10001) AS n;

-- estimate
--   1: ""
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((NOT t0."title" IS NULL) AND ((duet_fold(t0."title") = ?1) IS NOT TRUE)) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 NOT status==Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(t0."status") = ?1) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_fold(t0."status") = ?1) IS NOT TRUE)
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
  WHERE ((duet_fold(t0."status") = ?1) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec title==*
-- level 0: rec
--   1: "%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_like(duet_fold(t0."title"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."title"), ?1) AND t0.rowid = sample.at;

-- rec price==10
-- level 0: rec
--   1: "[\"exists\",[\"price\"]]"
--   2: "10"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"price\"]]"
--   2: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"price\"]]"
--   2: "10"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec price ==/number 4.00
-- level 0: rec
--   1: "[\"exists\",[\"price\"]]"
--   2: "4"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"price\"]]"
--   2: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"price\"]]"
--   2: "4"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) = ?2 AND t0.rowid = sample.at;

-- rec price >/number 9.5
-- level 0: rec
--   1: "[\"exists\",[\"price\"]]"
--   2: "9.5"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) > ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"price\"]]"
--   2: "9.5"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) > ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"price\"]]"
--   2: "9.5"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) > ?2 AND t0.rowid = sample.at;

-- rec price <>/number 4
-- level 0: rec
--   1: "[\"exists\",[\"price\"]]"
--   2: "4"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) <> ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"price\"]]"
--   2: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) <> ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"price\"]]"
--   2: "4"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE CAST(duet_number(duet_member(t0."jsonb", ?1)) AS NUMERIC) <> ?2 AND t0.rowid = sample.at;

-- rec price < 9
-- level 0: rec
--   1: "[\"exists\",[\"price\"]]"
--   2: "9"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_member(t0."jsonb", ?1) < ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"price\"]]"
--   2: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_member(t0."jsonb", ?1) < ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"price\"]]"
--   2: "9"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_member(t0."jsonb", ?1) < ?2 AND t0.rowid = sample.at;

-- rec quantity==10
-- level 0: rec
--   1: "10"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "10"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3)
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "10"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3)
    LIMIT 10001) AS n;

-- estimate
--   1: "10"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "10"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3) AND t0.rowid = sample.at;

-- rec quantity==4
-- level 0: rec
--   1: "4"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "4"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3)
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "4"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "4"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3) AND t0.rowid = sample.at;

-- rec quantity==4.0
-- level 0: rec
--   1: "4"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "4.0"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3)
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "4"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "4.0"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3)
    LIMIT 10001) AS n;

-- estimate
--   1: "4"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "4.0"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."quantity" = ?1 AND duet_fold(duet_member(t0."jsonb", ?2)) = ?3) AND t0.rowid = sample.at;

-- rec quantity ==/number 4.00
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

-- rec quantity >/number 9.5
-- level 0: rec
--   1: "9.5"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."quantity" > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "9.5"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."quantity" > ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "9.5"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."quantity" > ?1 AND t0.rowid = sample.at;

-- rec quantity <>/number 4
-- level 0: rec
--   1: "4"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."quantity" <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."quantity" <> ?1
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
  WHERE t0."quantity" <> ?1 AND t0.rowid = sample.at;

-- rec quantity < 9
-- level 0: rec
--   1: "[\"exists\",[\"quantity\"]]"
--   2: "9"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) < ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"quantity\"]]"
--   2: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) < ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"quantity\"]]"
--   2: "9"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) < ?2 AND t0.rowid = sample.at;

-- rec quantity=""
-- level 0: rec
--   1: "[\"exists\",[\"quantity\"]]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT duet_member(t0."jsonb", ?1) IS NULL)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"exists\",[\"quantity\"]]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT duet_member(t0."jsonb", ?1) IS NULL)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"quantity\"]]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (NOT duet_member(t0."jsonb", ?1) IS NULL) AND t0.rowid = sample.at;

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

-- rec rush==TRUE
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

-- rec rush<>true
-- level 0: rec
--   1: true
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rush" <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: true
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."rush" <> ?1
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
  WHERE t0."rush" <> ?1 AND t0.rowid = sample.at;

-- rec rush=true
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

-- rec rush==t*
-- level 0: rec
--   1: "[\"exists\",[\"rush\"]]"
--   2: "t"
--   3: "[\"exists\",[\"rush\"]]"
--   4: "u"
--   5: "[\"exists\",[\"rush\"]]"
--   6: "t%"
--   7: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(duet_member(t0."jsonb", ?1)) >= ?2 AND duet_fold(duet_member(t0."jsonb", ?3)) < ?4 AND duet_like(duet_fold(duet_member(t0."jsonb", ?5)), ?6))
  ORDER BY t0."id"
  LIMIT ?7;

-- total
--   1: "[\"exists\",[\"rush\"]]"
--   2: "t"
--   3: "[\"exists\",[\"rush\"]]"
--   4: "u"
--   5: "[\"exists\",[\"rush\"]]"
--   6: "t%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(duet_member(t0."jsonb", ?1)) >= ?2 AND duet_fold(duet_member(t0."jsonb", ?3)) < ?4 AND duet_like(duet_fold(duet_member(t0."jsonb", ?5)), ?6))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"rush\"]]"
--   2: "t"
--   3: "[\"exists\",[\"rush\"]]"
--   4: "u"
--   5: "[\"exists\",[\"rush\"]]"
--   6: "t%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(duet_member(t0."jsonb", ?1)) >= ?2 AND duet_fold(duet_member(t0."jsonb", ?3)) < ?4 AND duet_like(duet_fold(duet_member(t0."jsonb", ?5)), ?6)) AND t0.rowid = sample.at;

-- rec rush==1
-- level 0: rec
--   1: "[\"exists\",[\"rush\"]]"
--   2: "1"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"rush\"]]"
--   2: "1"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"rush\"]]"
--   2: "1"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec tags=urgent
-- level 0: rec
--   1: "[\"exists\",[\"tags\"]]"
--   2: "=urgent"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"tags\"]]"
--   2: "=urgent"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"tags\"]]"
--   2: "=urgent"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- rec tags=="*\"urgent\"*"
-- level 0: rec
--   1: "[\"exists\",[\"tags\"]]"
--   2: "%\"urgent\"%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"tags\"]]"
--   2: "%\"urgent\"%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"tags\"]]"
--   2: "%\"urgent\"%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- rec tags=="[\"urgent\", \"gift\"]"
-- level 0: rec
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[\"urgent\", \"gift\"]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[\"urgent\", \"gift\"]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[\"urgent\", \"gift\"]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec tags=="[]"
-- level 0: rec
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec cql.allRecords=1 NOT tags<>"[]"
-- level 0: rec
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[]"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(duet_member(t0."jsonb", ?1)) <> ?2) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_fold(duet_member(t0."jsonb", ?1)) <> ?2) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"tags\"]]"
--   2: "[]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_fold(duet_member(t0."jsonb", ?1)) <> ?2) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec contributors=Terry
-- level 0: rec
--   1: "[\"exists\",[\"contributors\"]]"
--   2: "=terry"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"contributors\"]]"
--   2: "=terry"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"contributors\"]]"
--   2: "=terry"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- rec contributors=name
-- level 0: rec
--   1: "[\"exists\",[\"contributors\"]]"
--   2: "=name"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"contributors\"]]"
--   2: "=name"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"contributors\"]]"
--   2: "=name"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- rec contributors.name=terry
-- level 0: rec
--   1: "[\"exists\",[\"contributors\",\"name\"]]"
--   2: "=terry"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"contributors\",\"name\"]]"
--   2: "=terry"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"contributors\",\"name\"]]"
--   2: "=terry"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

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

-- rec contributors =/@typeid=T1/@lang=english creator
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

-- rec contributors ==/@typeId=T2 "creator b"
-- level 0: rec
--   1: "[\"exists\",[\"name\"]]"
--   2: "creator b"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t2"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE (duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) = ?2 AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4)))
  ORDER BY t0."id"
  LIMIT ?5;

-- total
--   1: "[\"exists\",[\"name\"]]"
--   2: "creator b"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t2"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE (duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) = ?2 AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"name\"]]"
--   2: "creator b"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t2"
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
    WHERE (duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) = ?2 AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4))) AND t0.rowid = sample.at;

-- rec contributors <>/@typeId=T1 "creator a"
-- level 0: rec
--   1: "[\"exists\",[\"name\"]]"
--   2: "creator a"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
    WHERE (duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) <> ?2 AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4)))
  ORDER BY t0."id"
  LIMIT ?5;

-- total
--   1: "[\"exists\",[\"name\"]]"
--   2: "creator a"
--   3: "[\"exists\",[\"typeId\"]]"
--   4: "=t1"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE EXISTS (SELECT 1
      FROM json_each(CASE json_type(t0."jsonb", '$.contributors') WHEN 'array' THEN json_extract(t0."jsonb", '$.contributors') END) AS of_array
      WHERE (duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) <> ?2 AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4)))
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"name\"]]"
--   2: "creator a"
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
    WHERE (duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?1)) <> ?2 AND duet_words(duet_fold(duet_member((CASE of_array.type WHEN 'object' THEN of_array.value END), ?3)), ?4))) AND t0.rowid = sample.at;

-- rec code==ab-100
-- level 0: rec
--   1: "ab-100"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "ab-100"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec code==/respectCase ab-100
-- level 0: rec
--   1: "ab-100"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "ab-100"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "ab-100"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec code=="50%_off"
-- level 0: rec
--   1: "50%_off"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "50%_off"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "50%_off"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec code=="a\*b\?c"
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

-- rec code=="back\\slash"
-- level 0: rec
--   1: "back\\slash"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "back\\slash"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "back\\slash"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec code=="say \"hi\""
-- level 0: rec
--   1: "say \"hi\""
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "say \"hi\""
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "say \"hi\""
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec code=="it's"
-- level 0: rec
--   1: "it's"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "it's"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."code") = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "it's"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1 AND t0.rowid = sample.at;

-- rec address.city==Sovang
-- level 0: rec
--   1: "sovang"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "sovang"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)) = ?1
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
  WHERE duet_fold((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)) = ?1 AND t0.rowid = sample.at;

-- rec address.city=søvang
-- level 0: rec
--   1: "=sovang"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "=sovang"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "=sovang"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold((CASE json_type(t0."jsonb", '$.address.city') WHEN 'text' THEN json_extract(t0."jsonb", '$.address.city') END)), ?1) AND t0.rowid = sample.at;

-- rec address=="*sovang*"
-- level 0: rec
--   1: "[\"exists\",[\"address\"]]"
--   2: "%sovang%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"address\"]]"
--   2: "%sovang%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"address\"]]"
--   2: "%sovang%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- rec Status==Open
-- level 0: rec
--   1: "[\"exists\",[\"Status\"]]"
--   2: "open"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"Status\"]]"
--   2: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"Status\"]]"
--   2: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec nothing==x
-- level 0: rec
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_fold(duet_member(t0."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec nothing=""
-- level 0: rec
--   1: "[\"exists\",[\"nothing\"]]"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT duet_member(t0."jsonb", ?1) IS NULL)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "[\"exists\",[\"nothing\"]]"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT duet_member(t0."jsonb", ?1) IS NULL)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"nothing\"]]"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (NOT duet_member(t0."jsonb", ?1) IS NULL) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 not nothing==x
-- level 0: rec
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(duet_member(t0."jsonb", ?1)) = ?2) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_fold(duet_member(t0."jsonb", ?1)) = ?2) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_fold(duet_member(t0."jsonb", ?1)) = ?2) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec id=1*
-- level 0: rec
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."id" >= ?1 AND t0."id" <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."id" >= ?1 AND t0."id" <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."id" >= ?1 AND t0."id" <= ?2) AND t0.rowid = sample.at;

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

-- rec id<>zz
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT t0."id" IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT t0."id" IS NULL)
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
  WHERE (NOT t0."id" IS NULL) AND t0.rowid = sample.at;

-- rec id=""
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

-- rec id==""
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

-- rec id==11111111-1111-4111-8111-111111111111
-- level 0: rec
--   1: "11111111-1111-4111-8111-111111111111"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."id" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "11111111-1111-4111-8111-111111111111"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."id" = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "11111111-1111-4111-8111-111111111111"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."id" = ?1 AND t0.rowid = sample.at;

-- rec id<>1*
-- level 0: rec
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT (t0."id" >= ?1 AND t0."id" <= ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT (t0."id" >= ?1 AND t0."id" <= ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "10000000-0000-0000-0000-000000000000"
--   2: "1fffffff-ffff-ffff-ffff-ffffffffffff"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (NOT (t0."id" >= ?1 AND t0."id" <= ?2)) AND t0.rowid = sample.at;

-- rec id>33333333-1111-4111-8111-111111111111
-- level 0: rec
--   1: "33333333-1111-4111-8111-111111111111"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."id" > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "33333333-1111-4111-8111-111111111111"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE t0."id" > ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "33333333-1111-4111-8111-111111111111"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE t0."id" > ?1 AND t0.rowid = sample.at;

-- rec parentId=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT t0."parentid" IS NULL)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (NOT t0."parentid" IS NULL)
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
  WHERE (NOT t0."parentid" IS NULL) AND t0.rowid = sample.at;

-- rec parentId==""
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

-- rec cql.allRecords=1 NOT parentId=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (((NOT t0."parentid" IS NULL)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (((NOT t0."parentid" IS NULL)) IS NOT TRUE)
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
  WHERE (((NOT t0."parentid" IS NULL)) IS NOT TRUE) AND t0.rowid = sample.at;

-- rec parentId=*
-- level 0: rec
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."parentid" >= ?1 AND t0."parentid" <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (t0."parentid" >= ?1 AND t0."parentid" <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (t0."parentid" >= ?1 AND t0."parentid" <= ?2) AND t0.rowid = sample.at;

-- rec parent.workflowStatus==Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
  ORDER BY t0."id"
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

-- rec parent.id=*
-- level 0: rec
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE (t1."id" >= ?1 AND t1."id" <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
    WHERE (t1."id" >= ?1 AND t1."id" <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE (t1."id" >= ?1 AND t1."id" <= ?2) AND t0.rowid = sample.at;

-- rec parent.workflowStatus<>Open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
    WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) <> ?1
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
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) <> ?1 AND t0.rowid = sample.at;

-- parents rec.title=art
-- level 0: parents
--   1: "(\"art\")"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND t1."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "(\"art\")"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND t1."rowid" IN (SELECT rowid
        FROM "main"."rec_title_idx_ft"
        WHERE "rec_title_idx_ft" MATCH ?1))
    LIMIT 10001) AS n;

-- estimate
--   1: "(\"art\")"
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
    WHERE t1."parentid" = t0."id" AND t1."rowid" IN (SELECT rowid
      FROM "main"."rec_title_idx_ft"
      WHERE "rec_title_idx_ft" MATCH ?1)) AND t0.rowid = sample.at;

-- parents rec.quantity==10
-- level 0: parents
--   1: "10"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "10"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (t1."quantity" = ?1 AND duet_fold(duet_member(t1."jsonb", ?2)) = ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "10"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "10"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND (t1."quantity" = ?1 AND duet_fold(duet_member(t1."jsonb", ?2)) = ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: "10"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: "10"
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
    WHERE t1."parentid" = t0."id" AND (t1."quantity" = ?1 AND duet_fold(duet_member(t1."jsonb", ?2)) = ?3)) AND t0.rowid = sample.at;

-- parents rec.status<>open
-- level 0: parents
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND duet_fold(t1."status") <> ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND duet_fold(t1."status") <> ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
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
    WHERE t1."parentid" = t0."id" AND duet_fold(t1."status") <> ?1) AND t0.rowid = sample.at;

-- parents cql.allRecords=1 not rec.status==open
-- level 0: parents
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "main"."rec" AS t1
        WHERE t1."parentid" = t0."id" AND duet_fold(t1."status") = ?1)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE ((EXISTS (SELECT 1
          FROM "main"."rec" AS t1
          WHERE t1."parentid" = t0."id" AND duet_fold(t1."status") = ?1)) IS NOT TRUE)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
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
        WHERE t1."parentid" = t0."id" AND duet_fold(t1."status") = ?1)) IS NOT TRUE) AND t0.rowid = sample.at;

-- shelves home.workflowStatus==Open
-- level 0: shelves
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1 AND t0.rowid = sample.at;

-- shelves home.workflowStatus==Pending
-- level 0: shelves
--   1: "pending"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "pending"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1
    LIMIT 10001) AS n;

-- estimate
--   1: "pending"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1 AND t0.rowid = sample.at;

-- shelves home.workflowStatus=""
-- level 0: shelves
--   1: "%"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_like((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE duet_like((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_like((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END), ?1) AND t0.rowid = sample.at;

-- shelves home.id=*
-- level 0: shelves
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (t1."id" >= ?1 AND t1."id" <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE (t1."id" >= ?1 AND t1."id" <= ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "00000000-0000-0000-0000-000000000000"
--   2: "ffffffff-ffff-ffff-ffff-ffffffffffff"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (t1."id" >= ?1 AND t1."id" <= ?2) AND t0.rowid = sample.at;

-- shelves home.note==*old*
-- level 0: shelves
--   1: "[\"exists\",[\"note\"]]"
--   2: "%old%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_like(duet_fold(duet_member(t1."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"note\"]]"
--   2: "%old%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE duet_like(duet_fold(duet_member(t1."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"note\"]]"
--   2: "%old%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_like(duet_fold(duet_member(t1."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- shelves home.note=""
-- level 0: shelves
--   1: "[\"exists\",[\"note\"]]"
--   2: "%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_like(duet_member(t1."jsonb", ?1), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"note\"]]"
--   2: "%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE duet_like(duet_member(t1."jsonb", ?1), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"note\"]]"
--   2: "%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE duet_like(duet_member(t1."jsonb", ?1), ?2) AND t0.rowid = sample.at;

-- shelves home==*Pending*
-- level 0: shelves
--   1: "[\"exists\",[\"home\"]]"
--   2: "%pending%"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"home\"]]"
--   2: "%pending%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"home\"]]"
--   2: "%pending%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  WHERE duet_like(duet_fold(duet_member(t0."jsonb", ?1)), ?2) AND t0.rowid = sample.at;

-- shelves home.workflowStatus==Open and label==one
-- level 0: shelves
--   1: "open"
--   2: "one"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1 AND duet_fold(t0."label") = ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "open"
--   2: "one"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
    WHERE (duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1 AND duet_fold(t0."label") = ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "one"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."homeid"
  WHERE (duet_fold((CASE json_type(t1."jsonb", '$.workflowStatus') WHEN 'text' THEN json_extract(t1."jsonb", '$.workflowStatus') END)) = ?1 AND duet_fold(t0."label") = ?2) AND t0.rowid = sample.at;

-- shelves cql.allRecords=1 sortBy home.workflowStatus
-- level 0: shelves
--   1: "[\"exists\",[\"home\",\"workflowStatus\"]]"
--   2: "[\"exists\",[\"home\",\"workflowStatus\"]]"
--   3: 101
SELECT t0."jsonb", t0."id", duet_fold(duet_member(t0."jsonb", ?1))
  FROM "main"."shelves" AS t0
  WHERE TRUE
  ORDER BY duet_fold(duet_member(t0."jsonb", ?2)) NULLS LAST, t0."id"
  LIMIT ?3;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- shelves cql.allRecords=1 sortBy home.workflowStatus/sort.descending
-- level 0: shelves
--   1: "[\"exists\",[\"home\",\"workflowStatus\"]]"
--   2: "[\"exists\",[\"home\",\"workflowStatus\"]]"
--   3: 101
SELECT t0."jsonb", t0."id", duet_fold(duet_member(t0."jsonb", ?1))
  FROM "main"."shelves" AS t0
  WHERE TRUE
  ORDER BY duet_fold(duet_member(t0."jsonb", ?2)) DESC NULLS FIRST, t0."id"
  LIMIT ?3;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."shelves" AS t0
    WHERE TRUE
    LIMIT 10001) AS n;

-- estimate
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."shelves" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."shelves" AS t0
  WHERE TRUE AND t0.rowid = sample.at;

-- parents shelf.label==one
-- level 0: parents
--   1: "one"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND duet_fold(t2."label") = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "one"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."shelves" AS t2
      WHERE t2."homeid" = t0."id" AND duet_fold(t2."label") = ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "one"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND duet_fold(t2."label") = ?1) AND t0.rowid = sample.at;

-- parents shelf.home.workflowStatus==Open
-- level 0: parents
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND duet_fold((CASE json_type(t2."jsonb", '$.home.workflowStatus') WHEN 'text' THEN json_extract(t2."jsonb", '$.home.workflowStatus') END)) = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."shelves" AS t2
      WHERE t2."homeid" = t0."id" AND duet_fold((CASE json_type(t2."jsonb", '$.home.workflowStatus') WHEN 'text' THEN json_extract(t2."jsonb", '$.home.workflowStatus') END)) = ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND duet_fold((CASE json_type(t2."jsonb", '$.home.workflowStatus') WHEN 'text' THEN json_extract(t2."jsonb", '$.home.workflowStatus') END)) = ?1) AND t0.rowid = sample.at;

-- parents shelf.home.note==old
-- level 0: parents
--   1: "old"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND duet_fold((CASE json_type(t2."jsonb", '$.home.note') WHEN 'text' THEN json_extract(t2."jsonb", '$.home.note') END)) = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "old"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."shelves" AS t2
      WHERE t2."homeid" = t0."id" AND duet_fold((CASE json_type(t2."jsonb", '$.home.note') WHEN 'text' THEN json_extract(t2."jsonb", '$.home.note') END)) = ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "old"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."parents" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."shelves" AS t2
    WHERE t2."homeid" = t0."id" AND duet_fold((CASE json_type(t2."jsonb", '$.home.note') WHEN 'text' THEN json_extract(t2."jsonb", '$.home.note') END)) = ?1) AND t0.rowid = sample.at;

-- rec parent.nothing==x
-- level 0: rec
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE duet_fold(duet_member(t1."jsonb", ?1)) = ?2
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
    WHERE duet_fold(duet_member(t1."jsonb", ?1)) = ?2
    LIMIT 10001) AS n;

-- estimate
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "x"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  JOIN "main"."parents" AS t1 ON t1."id" = t0."parentid"
  WHERE duet_fold(duet_member(t1."jsonb", ?1)) = ?2 AND t0.rowid = sample.at;

-- rec ordered>="2019-06-01T10:00:00" AND ordered<"2019-07-01"
-- level 0: rec
--   1: "2019-06-01t10:00:00"
--   2: "2019-07-01"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") < ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "2019-06-01t10:00:00"
--   2: "2019-07-01"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") < ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "2019-06-01t10:00:00"
--   2: "2019-07-01"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") < ?2) AND t0.rowid = sample.at;

-- rec ordered=="2019-06*"
-- level 0: rec
--   1: "2019-06"
--   2: "2019-07"
--   3: "2019-06%"
--   4: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") < ?2 AND duet_like(duet_fold(t0."ordered"), ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- total
--   1: "2019-06"
--   2: "2019-07"
--   3: "2019-06%"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") < ?2 AND duet_like(duet_fold(t0."ordered"), ?3))
    LIMIT 10001) AS n;

-- estimate
--   1: "2019-06"
--   2: "2019-07"
--   3: "2019-06%"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."ordered") >= ?1 AND duet_fold(t0."ordered") < ?2 AND duet_like(duet_fold(t0."ordered"), ?3)) AND t0.rowid = sample.at;

-- rec status>open
-- level 0: rec
--   1: "open"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "open"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_fold(t0."status") > ?1
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
  WHERE duet_fold(t0."status") > ?1 AND t0.rowid = sample.at;

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

-- rec level<>high
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

-- rec level==*low
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

-- rec level=""
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IS NULL)
  ORDER BY t0."id"
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

-- rec level=*
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

-- parents rec.level<>high
-- level 0: parents
--   1: "low"
--   2: "very low"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."parents" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."rec" AS t1
    WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "low"
--   2: "very low"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."parents" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."rec" AS t1
      WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2))
    LIMIT 10001) AS n;

-- estimate
--   1: "low"
--   2: "very low"
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
    WHERE t1."parentid" = t0."id" AND (CASE json_type(t1."jsonb", '$.level') WHEN 'text' THEN json_extract(t1."jsonb", '$.level') END) IN (?1, ?2)) AND t0.rowid = sample.at;

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

-- rec cql.allRecords=1 sortBy level
-- level 0: rec
SELECT t0."jsonb", t0."id", (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END)
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) NULLS LAST, t0."id"
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

-- rec level="" sortBy level/sort.descending
-- level 0: rec
SELECT t0."jsonb", t0."id", (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END)
  FROM "main"."rec" AS t0
  WHERE (NOT (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) IS NULL)
  ORDER BY (CASE json_type(t0."jsonb", '$.level') WHEN 'text' THEN json_extract(t0."jsonb", '$.level') END) DESC NULLS FIRST, t0."id"
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

-- rec status==(Open or Pending)
-- level 0: rec
--   1: "open"
--   2: "pending"
--   3: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- total
--   1: "open"
--   2: "pending"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "pending"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2) AND t0.rowid = sample.at;

-- rec status==Open or status==Closed and price==/number 4
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "[\"exists\",[\"price\"]]"
--   4: "4"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2) AND CAST(duet_number(duet_member(t0."jsonb", ?3)) AS NUMERIC) = ?4)
  ORDER BY t0."id"
  LIMIT ?5;

-- total
--   1: "open"
--   2: "closed"
--   3: "[\"exists\",[\"price\"]]"
--   4: "4"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2) AND CAST(duet_number(duet_member(t0."jsonb", ?3)) AS NUMERIC) = ?4)
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "closed"
--   3: "[\"exists\",[\"price\"]]"
--   4: "4"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE ((duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2) AND CAST(duet_number(duet_member(t0."jsonb", ?3)) AS NUMERIC) = ?4) AND t0.rowid = sample.at;

-- rec status==Open or (status==Closed and price==/number 9)
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "[\"exists\",[\"price\"]]"
--   4: "9"
--   5: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") = ?1 OR (duet_fold(t0."status") = ?2 AND CAST(duet_number(duet_member(t0."jsonb", ?3)) AS NUMERIC) = ?4))
  ORDER BY t0."id"
  LIMIT ?5;

-- total
--   1: "open"
--   2: "closed"
--   3: "[\"exists\",[\"price\"]]"
--   4: "9"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE (duet_fold(t0."status") = ?1 OR (duet_fold(t0."status") = ?2 AND CAST(duet_number(duet_member(t0."jsonb", ?3)) AS NUMERIC) = ?4))
    LIMIT 10001) AS n;

-- estimate
--   1: "open"
--   2: "closed"
--   3: "[\"exists\",[\"price\"]]"
--   4: "9"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE (duet_fold(t0."status") = ?1 OR (duet_fold(t0."status") = ?2 AND CAST(duet_number(duet_member(t0."jsonb", ?3)) AS NUMERIC) = ?4)) AND t0.rowid = sample.at;

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

-- rec cql.serverChoice=kayak
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

-- rec cql.allRecords=1 sortBy status title/sort.descending
-- level 0: rec
SELECT *
  FROM (SELECT t0."jsonb", t0."id", duet_fold(t0."status"), duet_fold(t0."title")
    FROM "main"."rec" AS t0
    WHERE TRUE AND duet_fold(t0."status") IS NOT NULL
    ORDER BY duet_fold(t0."status"), duet_fold(t0."title") DESC NULLS FIRST, t0."id"
    LIMIT 101)
  UNION ALL SELECT *
  FROM (SELECT t0."jsonb", t0."id", duet_fold(t0."status"), duet_fold(t0."title")
    FROM "main"."rec" AS t0
    WHERE TRUE AND duet_fold(t0."status") IS NULL
    ORDER BY duet_fold(t0."title") DESC NULLS FIRST, t0."id"
    LIMIT 101)
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

-- rec cql.allRecords=1 sortBy price/number tags
-- level 0: rec
--   1: "[\"null\",[\"price\"]]"
--   2: "[\"exists\",[\"price\"]]"
--   3: "[\"like\",[\"price\"],\"%\"]"
--   4: "[\"in\",[\"price\"],false,true]"
--   5: "[\"exists\",[\"price\"]]"
--   6: "[\"exists\",[\"price\"]]"
--   7: "[\"like\",[\"price\"],\"%\"]"
--   8: "[\"exists\",[\"price\"]]"
--   9: "[\"like\",[\"price\"],\"%\"]"
--   10: "[\"exists\",[\"price\"]]"
--   11: "[\"in\",[\"price\"],false,true]"
--   12: "[\"exists\",[\"price\"]]"
--   13: "[\"exists\",[\"tags\"]]"
--   14: "[\"null\",[\"price\"]]"
--   15: "[\"exists\",[\"price\"]]"
--   16: "[\"like\",[\"price\"],\"%\"]"
--   17: "[\"in\",[\"price\"],false,true]"
--   18: "[\"exists\",[\"price\"]]"
--   19: "[\"exists\",[\"price\"]]"
--   20: "[\"like\",[\"price\"],\"%\"]"
--   21: "[\"exists\",[\"price\"]]"
--   22: "[\"like\",[\"price\"],\"%\"]"
--   23: "[\"exists\",[\"price\"]]"
--   24: "[\"in\",[\"price\"],false,true]"
--   25: "[\"exists\",[\"price\"]]"
--   26: "[\"exists\",[\"tags\"]]"
--   27: 101
SELECT t0."jsonb", t0."id", (CASE WHEN ((duet_json(t0."jsonb", ?1)) AND duet_member(t0."jsonb", ?2) IS NULL) THEN 0 WHEN (duet_json(t0."jsonb", ?3)) THEN 1 WHEN (duet_json(t0."jsonb", ?4)) THEN 3 WHEN (NOT CAST(duet_number(duet_member(t0."jsonb", ?5)) AS NUMERIC) IS NULL) THEN 2 WHEN (NOT duet_member(t0."jsonb", ?6) IS NULL) THEN 4 END), (CASE WHEN (duet_json(t0."jsonb", ?7)) THEN NULL ELSE CAST(duet_number(duet_member(t0."jsonb", ?8)) AS NUMERIC) END), (CASE WHEN (duet_json(t0."jsonb", ?9)) THEN duet_member(t0."jsonb", ?10) WHEN (duet_json(t0."jsonb", ?11)) THEN duet_member(t0."jsonb", ?12) END), duet_fold(duet_member(t0."jsonb", ?13))
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY (CASE WHEN ((duet_json(t0."jsonb", ?14)) AND duet_member(t0."jsonb", ?15) IS NULL) THEN 0 WHEN (duet_json(t0."jsonb", ?16)) THEN 1 WHEN (duet_json(t0."jsonb", ?17)) THEN 3 WHEN (NOT CAST(duet_number(duet_member(t0."jsonb", ?18)) AS NUMERIC) IS NULL) THEN 2 WHEN (NOT duet_member(t0."jsonb", ?19) IS NULL) THEN 4 END) NULLS LAST, (CASE WHEN (duet_json(t0."jsonb", ?20)) THEN NULL ELSE CAST(duet_number(duet_member(t0."jsonb", ?21)) AS NUMERIC) END) NULLS LAST, (CASE WHEN (duet_json(t0."jsonb", ?22)) THEN duet_member(t0."jsonb", ?23) WHEN (duet_json(t0."jsonb", ?24)) THEN duet_member(t0."jsonb", ?25) END) NULLS LAST, duet_fold(duet_member(t0."jsonb", ?26)) NULLS LAST, t0."id"
  LIMIT ?27;

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

-- rec cql.allRecords=1 sortBy quantity/number/sort.descending
-- level 0: rec
SELECT t0."jsonb", t0."id", t0."quantity"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."quantity" DESC NULLS FIRST, t0."id"
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

-- rec cql.allRecords=1 sortBy quantity
-- level 0: rec
--   1: "[\"exists\",[\"quantity\"]]"
--   2: "[\"exists\",[\"quantity\"]]"
--   3: 101
SELECT t0."jsonb", t0."id", duet_fold(duet_member(t0."jsonb", ?1))
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold(duet_member(t0."jsonb", ?2)) NULLS LAST, t0."id"
  LIMIT ?3;

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

-- rec cql.allRecords=1 sortBy nothing id/sort.descending
-- level 0: rec
--   1: "[\"exists\",[\"nothing\"]]"
--   2: "[\"exists\",[\"nothing\"]]"
--   3: 101
SELECT t0."jsonb", t0."id", duet_fold(duet_member(t0."jsonb", ?1))
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold(duet_member(t0."jsonb", ?2)) NULLS LAST, t0."id" DESC NULLS FIRST
  LIMIT ?3;

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

-- rec cql.allRecords=1 sortBy code/respectCase
-- level 0: rec
SELECT t0."jsonb", t0."id", duet_fold_accents(t0."code")
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold_accents(t0."code") NULLS LAST, t0."id"
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

-- rec status=zzz or title=*
-- level 0: rec
--   1: "=zzz"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "=zzz"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(t0."status"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "=zzz"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(t0."status"), ?1) AND t0.rowid = sample.at;

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

-- rec title=* and status=closed
-- level 0: rec
--   1: "=closed"
--   2: 101
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_words(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- total
--   1: "=closed"
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE duet_words(duet_fold(t0."status"), ?1)
    LIMIT 10001) AS n;

-- estimate
--   1: "=closed"
WITH RECURSIVE size(n) AS (SELECT max(t0.rowid)
    FROM "main"."rec" AS t0), sample(at) AS (SELECT 1
    UNION ALL SELECT at + max(1, n / 1000)
    FROM sample, size
    WHERE at + max(1, n / 1000) <= n) SELECT CAST(round(count(*) * max(1, (SELECT n / 1000
          FROM size))) AS INTEGER)
  FROM sample CROSS
  JOIN "main"."rec" AS t0
  WHERE duet_words(duet_fold(t0."status"), ?1) AND t0.rowid = sample.at;

-- rec cql.allRecords=1 not title=*
-- level 0: rec
SELECT t0."jsonb", t0."id"
  FROM "main"."rec" AS t0
  WHERE ((TRUE) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 101;

-- total
SELECT count(*)
  FROM (SELECT 1
    FROM "main"."rec" AS t0
    WHERE ((TRUE) IS NOT TRUE)
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
  WHERE ((TRUE) IS NOT TRUE) AND t0.rowid = sample.at;
