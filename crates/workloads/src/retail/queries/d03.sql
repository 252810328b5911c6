-- D03: what each brand of one manager brought in, in one month of one year.
SELECT i_brand_id, i_brand, CAST(sum(ss_ext_sales_price) AS bigint) AS revenue
FROM store_sales
JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN item ON i_item_sk = ss_item_sk
WHERE i_manager_id = $1 AND d_moy = $2 AND d_year = $3
GROUP BY i_brand_id, i_brand
ORDER BY revenue DESC, i_brand_id
LIMIT 100
