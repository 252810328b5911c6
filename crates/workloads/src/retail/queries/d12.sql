-- D12: what items of three categories brought in on the web within 30 days, and their share of their class.
WITH sold AS (
  SELECT i_category_id, i_class_id, i_item_sk, i_item_id, i_category, i_class, i_current_price,
         CAST(sum(ws_ext_sales_price) AS bigint) AS revenue
  FROM web_sales
  JOIN item ON i_item_sk = ws_item_sk
  WHERE ws_sold_date_sk BETWEEN $1 AND $1 + 30 AND i_category_id IN ($2, $3, $4)
  GROUP BY i_category_id, i_class_id, i_item_sk, i_item_id, i_category, i_class, i_current_price
),
shares AS (
  SELECT sold.*,
         CAST(sum(revenue) OVER (PARTITION BY i_category_id, i_class_id) AS bigint) AS of_class
  FROM sold
)
SELECT i_item_sk, i_item_id, i_category, i_class, i_current_price, revenue,
       CAST(revenue AS double precision) * 100 / NULLIF(of_class, 0) AS percent_of_class
FROM shares
ORDER BY i_category_id, i_class_id, revenue DESC, i_item_sk
LIMIT 100
