-- D02: what each category brought in on each day of the week, in one month.
SELECT i_category_id, i_category, d_dow, d_day_name,
       CAST(sum(ss_ext_sales_price) AS bigint) AS revenue
FROM store_sales
JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN item ON i_item_sk = ss_item_sk
WHERE d_year = $1 AND d_moy = $2
GROUP BY i_category_id, i_category, d_dow, d_day_name
ORDER BY revenue DESC, i_category_id, d_dow
LIMIT 100
