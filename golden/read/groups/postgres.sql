-- GET /t/sale/?q={"$group":{"by":["kind"],"n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":"kind","n":{"$count":"amount"},"total":{"$sum":"amount"},"mean":{"$avg":"amount"},"least":{"$min":"amount"},"most":{"$max":"amount"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2", t0."c3", t0."c4", t0."c5"
  FROM (SELECT t0."kind" AS "c0", count(t0."amount") AS "c1", sum(t0."amount") AS "c2", trim_scale(round(avg(t0."amount")::numeric, 6)) AS "c3", min(t0."amount") AS "c4", max(t0."amount") AS "c5"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":"country_id","pieces":{"$sum":"pieces"},"mean":{"$avg":"pieces"},"weight":{"$sum":"weight"},"heavy":{"$avg":"weight"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2", t0."c3", t0."c4"
  FROM (SELECT t0."country_id" AS "c0", sum(t0."pieces")::numeric AS "c1", trim_scale(round(avg(t0."pieces")::numeric, 6)) AS "c2", sum((t0."weight")::float8) AS "c3", avg((t0."weight")::float8) AS "c4"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"n":{"$count":"*"},"kinds":{"$countDistinct":"kind"},"first":{"$min":"sold"},"last":{"$max":"noted"},"early":{"$min":"noted"},"name":{"$max":"kind"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2", t0."c3", t0."c4", t0."c5"
  FROM (SELECT count(*) AS "c0", count(DISTINCT t0."kind") AS "c1", min(t0."sold") AS "c2", max(t0."noted") AS "c3", min(t0."noted") AS "c4", max(t0."kind") AS "c5"
    FROM "public"."sale" AS t0
    WHERE TRUE) AS t0
  WHERE TRUE
  LIMIT 26;

-- GET /t/sale/?q={"id":99,"$group":{"n":{"$count":"*"},"total":{"$sum":"amount"}}}
-- level 0: sale
--   1: 99
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT count(*) AS "c0", sum(t0."amount") AS "c1"
    FROM "public"."sale" AS t0
    WHERE t0."id" = $1::int8) AS t0
  WHERE TRUE
  LIMIT $2::int8;

-- GET /t/sale/?q={"id":99,"$group":{"by":"kind","n":{"$count":"*"}}}
-- level 0: sale
--   1: 99
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE t0."id" = $1::int8 GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT $2::int8;

-- GET /t/sale/?q={"$group":{"by":["noted"],"n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."noted" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":["paid","sold"]}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."paid" AS "c0", t0."sold" AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1, 2) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST, t0."c1" NULLS LAST
  LIMIT 26;

-- GET /t/sale/?q={"$group":{"by":{"sort":"kind","land":"country_id"},"n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c0", t0."c1", t0."c2"
  FROM (SELECT t0."kind" AS "c0", t0."country_id" AS "c1", count(*) AS "c2"
    FROM "public"."sale" AS t0
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
  FROM (SELECT t0."country_id" AS "c0", count(*) AS "c1", sum(t0."amount") AS "c2"
    FROM "public"."sale" AS t0
    WHERE t0."amount" > $1::numeric GROUP BY 1) AS t0
  WHERE (t0."c1" > $2::int8 AND t0."c2" < $3::numeric)
  ORDER BY t0."c2" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT $4::int8;

-- GET /t/sale/?q={"$group":{"by":"kind","n":{"$count":"*"}},"$having":{"$or":[{"kind":null},{"n":2}]},"$orderby":{"n":"ASC"}}
-- level 0: sale
--   1: 2
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE (t0."c0" IS NULL OR t0."c1" = $1::int8)
  ORDER BY t0."c1" NULLS LAST, t0."c0" NULLS LAST
  LIMIT $2::int8;

-- GET /t/sale/?limit=1&count=exact&q={"$group":{"by":"kind","n":{"$count":"*"}},"$orderby":{"n":"DESC"}}
-- level 0: sale
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c1" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT 2;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET the next page
-- level 0: sale
--   1: 2
--   2: 1
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c1" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT $1::int8 OFFSET $2::int8;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET the next page
-- level 0: sale
--   1: 2
--   2: 2
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c1" DESC NULLS LAST, t0."c0" NULLS LAST
  LIMIT $1::int8 OFFSET $2::int8;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET /t/sale/?count=estimated&q={"$group":{"by":"kind"}}
-- level 0: sale
SELECT t0."c0"
  FROM (SELECT t0."kind" AS "c0"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- total
SELECT count(*)
  FROM (SELECT t0."kind" AS "c0"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE;

-- GET /t/sale/?fields=n&q={"$group":{"by":"kind","n":{"$count":"*"}}}
-- level 0: sale
SELECT t0."c1", t0."c0"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale_dv/?q={"$group":{"by":["place.name"],"n":{"$count":"*"},"total":{"$sum":"amount"}}}
-- level 0: sale_dv
SELECT t0."c0", t0."c1", t0."c2"
  FROM (SELECT t1."name" AS "c0", count(*) AS "c1", sum(t0."amount") AS "c2"
    FROM "public"."sale" AS t0
    LEFT JOIN "public"."country" AS t1 ON t1."id" = t0."country_id"
    WHERE TRUE GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT 26;

-- GET /t/sale_dv/?q={"place.name":{"$startsWith":"C"},"$group":{"by":{"land":"place.name"},"half":{"$sum":"half"}},"$having":{"land":{"$like":"C%"}}}
-- level 0: sale_dv
--   1: "C%"
--   2: "C%"
--   3: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t1."name" AS "c0", trim_scale(round(sum(trim_scale(round((t0."amount")::numeric / nullif((2)::numeric, 0), 10)))::numeric, 10)) AS "c1"
    FROM "public"."sale" AS t0
    JOIN "public"."country" AS t1 ON t1."id" = t0."country_id"
    WHERE (t1."name")::text LIKE $1::text GROUP BY 1) AS t0
  WHERE (t0."c0")::text LIKE $2::text
  ORDER BY t0."c0" NULLS LAST
  LIMIT $3::int8;

-- GET /t/sale_dv/?q={"tags.name":"x","$group":{"by":"kind","n":{"$count":"*"}}}
-- level 0: sale_dv
--   1: "x"
--   2: 26
SELECT t0."c0", t0."c1"
  FROM (SELECT t0."kind" AS "c0", count(*) AS "c1"
    FROM "public"."sale" AS t0
    WHERE EXISTS (SELECT 1
      FROM "public"."tag" AS t2
      WHERE t2."sale_id" = t0."id" AND t2."name" = $1::text) GROUP BY 1) AS t0
  WHERE TRUE
  ORDER BY t0."c0" NULLS LAST
  LIMIT $2::int8;
