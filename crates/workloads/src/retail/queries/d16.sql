-- D16: items that brought in nearly the same in stores, catalogue and web within some days: first day,
-- days after it, percent that they may differ.
WITH in_stores AS (
  SELECT ss_item_sk AS item_sk, CAST(sum(ss_ext_sales_price) AS bigint) AS revenue
  FROM store_sales
  WHERE ss_sold_date_sk BETWEEN $1 AND $1 + $2
  GROUP BY ss_item_sk
),
in_catalog AS (
  SELECT cs_item_sk AS item_sk, CAST(sum(cs_ext_sales_price) AS bigint) AS revenue
  FROM catalog_sales
  WHERE cs_sold_date_sk BETWEEN $1 AND $1 + $2
  GROUP BY cs_item_sk
),
on_web AS (
  SELECT ws_item_sk AS item_sk, CAST(sum(ws_ext_sales_price) AS bigint) AS revenue
  FROM web_sales
  WHERE ws_sold_date_sk BETWEEN $1 AND $1 + $2
  GROUP BY ws_item_sk
)
SELECT i_item_sk, i_item_id, in_stores.revenue AS store_revenue,
       in_catalog.revenue AS catalog_revenue, on_web.revenue AS web_revenue,
       CAST(in_stores.revenue + in_catalog.revenue + on_web.revenue AS double precision) / 3 AS mean
FROM in_stores
JOIN in_catalog ON in_catalog.item_sk = in_stores.item_sk
JOIN on_web ON on_web.item_sk = in_stores.item_sk
JOIN item ON i_item_sk = in_stores.item_sk
WHERE in_stores.revenue * 100 BETWEEN in_catalog.revenue * (100 - $3) AND in_catalog.revenue * (100 + $3)
  AND in_stores.revenue * 100 BETWEEN on_web.revenue * (100 - $3) AND on_web.revenue * (100 + $3)
  AND in_catalog.revenue * 100 BETWEEN on_web.revenue * (100 - $3) AND on_web.revenue * (100 + $3)
ORDER BY i_item_sk
LIMIT 100
