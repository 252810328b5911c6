-- D11: items that brought a store a tenth of its mean per item or less, over twelve months.
WITH sold AS (
  SELECT ss_store_sk AS store_sk, ss_item_sk AS item_sk,
         CAST(sum(ss_sales_price) AS bigint) AS revenue
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  WHERE d_month_seq BETWEEN $1 AND $1 + 11 AND ss_store_sk IS NOT NULL
  GROUP BY ss_store_sk, ss_item_sk
),
stores AS (
  SELECT store_sk, CAST(sum(revenue) AS bigint) AS total, count(*) AS items
  FROM sold
  GROUP BY store_sk
)
SELECT s_store_sk, s_store_name, i_item_sk, i_item_desc, revenue, i_current_price, i_brand
FROM sold
JOIN stores ON stores.store_sk = sold.store_sk
JOIN store ON s_store_sk = sold.store_sk
JOIN item ON i_item_sk = sold.item_sk
WHERE revenue * items * 10 <= total
ORDER BY s_store_sk, revenue, i_item_sk
LIMIT 100
