-- D14: monthly sales of each category in each store over a year, with the months beside and the mean of
-- the three; those most below their mean first.
WITH monthly AS (
  SELECT i_category_id, i_category, ss_store_sk AS store_sk, d_month_seq,
         CAST(sum(ss_sales_price) AS bigint) AS revenue
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  JOIN item ON i_item_sk = ss_item_sk
  WHERE d_month_seq BETWEEN $1 - 1 AND $1 + 12 AND ss_store_sk IS NOT NULL
  GROUP BY i_category_id, i_category, ss_store_sk, d_month_seq
),
beside AS (
  SELECT monthly.*,
         lag(revenue) OVER (PARTITION BY i_category_id, store_sk ORDER BY d_month_seq) AS last_month,
         lead(revenue) OVER (PARTITION BY i_category_id, store_sk ORDER BY d_month_seq) AS next_month,
         CAST(sum(revenue) OVER (PARTITION BY i_category_id, store_sk ORDER BY d_month_seq
                                 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS bigint) AS total,
         count(*) OVER (PARTITION BY i_category_id, store_sk ORDER BY d_month_seq
                        ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS months
  FROM monthly
)
SELECT i_category_id, i_category, store_sk, d_month_seq, revenue, last_month, next_month,
       CAST(total AS double precision) / months AS moving_mean
FROM beside
WHERE d_month_seq BETWEEN $1 AND $1 + 11
ORDER BY revenue * months - total, i_category_id, store_sk, d_month_seq
LIMIT 100
