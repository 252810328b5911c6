-- D01: what each brand of one manager brought in, in one month of every year.
SELECT d_year, i_brand_id, i_brand, CAST(sum(ss_ext_sales_price) AS bigint) AS revenue
FROM store_sales
JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN item ON i_item_sk = ss_item_sk
WHERE d_moy = $1 AND i_manager_id = $2
GROUP BY d_year, i_brand_id, i_brand
ORDER BY d_year, revenue DESC, i_brand_id
LIMIT 100
