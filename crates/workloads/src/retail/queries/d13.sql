-- D13: months of a year in which the items of a manager in two categories were more than a tenth off their mean.
WITH monthly AS (
  SELECT i_manager_id, d_month_seq, CAST(sum(ss_sales_price) AS bigint) AS revenue
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  JOIN item ON i_item_sk = ss_item_sk
  WHERE d_month_seq BETWEEN $1 AND $1 + 11 AND i_category_id IN ($2, $3)
  GROUP BY i_manager_id, d_month_seq
),
compared AS (
  SELECT i_manager_id, d_month_seq, revenue,
         CAST(sum(revenue) OVER (PARTITION BY i_manager_id) AS bigint) AS total,
         count(*) OVER (PARTITION BY i_manager_id) AS months
  FROM monthly
)
SELECT i_manager_id, d_month_seq, revenue,
       CAST(total AS double precision) / months AS monthly_mean
FROM compared
WHERE total > 0 AND abs(revenue * months - total) * 10 > total
ORDER BY i_manager_id, d_month_seq
LIMIT 100
