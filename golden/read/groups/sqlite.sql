-- GET /t/sale/?q={"$group":{"by":["kind"],"n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":"kind","n":{"$count":"amount"},"total":{"$sum":"amount"},"mean":{"$avg":"amount"},"least":{"$min":"amount"},"most":{"$max":"amount"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2", t0."c3", t0."c4", t0."c5"
  FROM (SELECT t0."kind" AS "c0", count(t0."amount") AS "c1", round(sum(t0."amount"), 2) AS "c2", round(avg(t0."amount"), 6) AS "c3", min(t0."amount") AS "c4", max(t0."amount") AS "c5"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":"country_id","pieces":{"$sum":"pieces"},"mean":{"$avg":"pieces"},"weight":{"$sum":"weight"},"heavy":{"$avg":"weight"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2", t0."c3", t0."c4"
  FROM (SELECT t0."country_id" AS "c0", sum(t0."pieces") AS "c1", round(avg(t0."pieces"), 6) AS "c2", sum(t0."weight") AS "c3", avg(t0."weight") AS "c4"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"n":{"$count":"*"},"kinds":{"$countDistinct":"kind"},"first":{"$min":"sold"},"last":{"$max":"noted"},"early":{"$min":"noted"},"name":{"$max":"kind"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2", t0."c3", t0."c4", t0."c5"
  FROM (SELECT count(*) AS "c0", count(DISTINCT t0."kind") AS "c1", min(t0."sold") AS "c2", substr(max(printf('%020d', 4611686018427387904 + duet_timestamp(t0."noted")) || t0."noted"), 21) AS "c3", substr(min(printf('%020d', 4611686018427387904 + duet_timestamp(t0."noted")) || t0."noted"), 21) AS "c4", max(t0."kind") AS "c5"
    FROM "main"."sale" AS t0
    WHERE TRUE) AS t0
  WHERE TRUE
  LIMIT 26;

-- GET /t/sale/?q={"id":99,"$group":{"n":{"$count":"*"},"total":{"$sum":"amount"}}}
-- level 0: sale
--   1: 99
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT count(*) AS "c0", round(sum(t0."amount"), 2) AS "c1"
    FROM "main"."sale" AS t0
    WHERE t0."id" = ?1) AS t0
  WHERE TRUE
  LIMIT ?2;

-- GET /t/sale/?q={"id":99,"$group":{"by":"kind","n":{"$count":"*"}}}
-- level 0: sale
--   1: 99
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE t0."id" = ?1 GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT ?2;

-- GET /t/sale/?q={"$group":{"by":["noted"],"n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT min(t0."noted") AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY duet_timestamp(t0."noted")) AS t0
  WHERE TRUE
  ORDER BY duet_timestamp(t0."c0") NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":["paid","sold"]}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."paid" AS "c0", t0."sold" AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1, 2) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST, t0."c1" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":{"sort":"kind","land":"country_id"},"n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2"
  FROM (SELECT t0."kind" AS "c0", t0."country_id" AS "c1", count(*) AS "c2"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1, 2) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST, t0."c1" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"amount":{"$gt":0.1},"$group":{"by":"country_id","n":{"$count":"*"},"total":{"$sum":"amount"}},"$having":{"n":{"$gt":1},"total":{"$lt":2000000}},"$orderby":{"total":"DESC"}}
-- level 0: sale
--   1: "0.1"
--   2: 1
--   3: "2000000"
--   4: 26
SELECT t0."c0", t0."c1", t0."c2"
  FROM (SELECT t0."country_id" AS "c0", count(*) AS "c1", round(sum(t0."amount"), 2) AS "c2"
    FROM "main"."sale" AS t0
    WHERE t0."amount" > ?1 GROUP BY 1) AS t0
  WHERE (t0."c1" > ?2 AND t0."c2" < ?3)
  ORDER BY t0."c2" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT ?4;

-- GET /t/sale/?q={"$group":{"by":"kind","n":{"$count":"*"}},"$having":{"$or":[{"kind":null},{"n":2}]},"$orderby":{"n":"ASC"}}
-- level 0: sale
--   1: 2
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE (t0."c0" IS NULL OR t0."c1" = ?1)
  ORDER BY t0."c1" NULLS LAST, t0."c0" NULLS LAST
  LIMIT ?2;

-- GET /t/sale/?limit=1&count=exact&q={"$group":{"by":"kind","n":{"$count":"*"}},"$orderby":{"n":"DESC"}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c1" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT 2;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET the next page
-- level 0: sale
--   1: 2
--   2: 1
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c1" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT ?1 OFFSET ?2;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET the next page
-- level 0: sale
--   1: 2
--   2: 2
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c1" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT ?1 OFFSET ?2;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET /t/sale/?count=estimated&q={"$group":{"by":"kind"}}
-- level 0: sale
SELECT t0."c0"
  FROM (SELECT t0."kind" AS "c0"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET /t/sale/?fields=n&q={"$group":{"by":"kind","n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c1", t0."c0"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale_dv/?q={"$group":{"by":["place.name"],"n":{"$count":"*"},"total":{"$sum":"amount"}}}
-- level 0: sale_dv
SELECT t0."c0", t0."c1", t0."c2"
  FROM (SELECT t1."name" AS "c0", count(*) AS "c1", round(sum(t0."amount"), 2) AS "c2"
    FROM "main"."sale" AS t0
    LEFT JOIN "main"."country" AS t1 ON t1."id" = t0."country_id"
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale_dv/?q={"place.name":{"$startsWith":"C"},"$group":{"by":{"land":"place.name"},"half":{"$sum":"half"}},"$having":{"land":{"$like":"C%"}}}
-- level 0: sale_dv
--   1: "C"
--   2: "D"
--   3: "C%"
--   4: "C%"
--   5: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t1."name" AS "c0", round(sum(duet_divide(t0."amount", 2)), 10) AS "c1"
    FROM "main"."sale" AS t0
    JOIN "main"."country" AS t1 ON t1."id" = t0."country_id"
    WHERE (t1."name" >= ?1 AND t1."name" < ?2 AND duet_like(t1."name", ?3)) GROUP BY 1) AS t0
  WHERE duet_like(t0."c0", ?4)
  ORDER BY t0."c0" NULLS LAST
  LIMIT ?5;

-- GET /t/sale_dv/?q={"tags.name":"x","$group":{"by":"kind","n":{"$count":"*"}}}
-- level 0: sale_dv
--   1: "x"
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "main"."sale" AS t0
    WHERE EXISTS (SELECT 1
      FROM "main"."tag" AS t2
      WHERE t2."sale_id" = t0."id" AND t2."name" = ?1) GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT ?2;
