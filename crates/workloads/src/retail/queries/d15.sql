-- D15: customers of stores and web in one year whose payments on the web grew more to the next year
-- than those in stores.
WITH in_stores AS (
  SELECT ss_customer_sk AS customer_sk,
         CAST(sum(CASE WHEN d_year = $1 THEN ss_net_paid ELSE 0 END) AS bigint) AS first_year,
         CAST(sum(CASE WHEN d_year = $1 THEN 0 ELSE ss_net_paid END) AS bigint) AS second_year
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  WHERE d_year BETWEEN $1 AND $1 + 1 AND ss_customer_sk IS NOT NULL
  GROUP BY ss_customer_sk
),
on_web AS (
  SELECT ws_bill_customer_sk AS customer_sk,
         CAST(sum(CASE WHEN d_year = $1 THEN ws_net_paid ELSE 0 END) AS bigint) AS first_year,
         CAST(sum(CASE WHEN d_year = $1 THEN 0 ELSE ws_net_paid END) AS bigint) AS second_year
  FROM web_sales
  JOIN date_dim ON d_date_sk = ws_sold_date_sk
  WHERE d_year BETWEEN $1 AND $1 + 1 AND ws_bill_customer_sk IS NOT NULL
  GROUP BY ws_bill_customer_sk
)
SELECT c_customer_sk, c_first_name, c_last_name, c_preferred_cust_flag,
       in_stores.first_year AS store_first, in_stores.second_year AS store_second,
       on_web.first_year AS web_first, on_web.second_year AS web_second
FROM in_stores
JOIN on_web ON on_web.customer_sk = in_stores.customer_sk
JOIN customer ON c_customer_sk = in_stores.customer_sk
WHERE in_stores.first_year > 0 AND on_web.first_year > 0
  AND on_web.second_year - on_web.first_year > in_stores.second_year - in_stores.first_year
ORDER BY c_customer_sk
LIMIT 100
