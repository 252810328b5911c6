-- D04: what each store of a time zone took on each day of the week, in one year.
SELECT s_store_sk, s_store_name,
       CAST(sum(CASE WHEN d_dow = 0 THEN ss_sales_price END) AS bigint) AS sunday,
       CAST(sum(CASE WHEN d_dow = 1 THEN ss_sales_price END) AS bigint) AS monday,
       CAST(sum(CASE WHEN d_dow = 2 THEN ss_sales_price END) AS bigint) AS tuesday,
       CAST(sum(CASE WHEN d_dow = 3 THEN ss_sales_price END) AS bigint) AS wednesday,
       CAST(sum(CASE WHEN d_dow = 4 THEN ss_sales_price END) AS bigint) AS thursday,
       CAST(sum(CASE WHEN d_dow = 5 THEN ss_sales_price END) AS bigint) AS friday,
       CAST(sum(CASE WHEN d_dow = 6 THEN ss_sales_price END) AS bigint) AS saturday
FROM store_sales
JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN store ON s_store_sk = ss_store_sk
WHERE d_year = $1 AND s_gmt_offset = $2
GROUP BY s_store_sk, s_store_name
ORDER BY s_store_sk
LIMIT 100
