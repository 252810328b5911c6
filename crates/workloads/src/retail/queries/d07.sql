-- D07: what brands and manufacturers of one manager brought in from customers of another zip than the
-- store, in one month of every year.
SELECT i_brand_id, i_brand, i_manufact_id, CAST(sum(ss_ext_sales_price) AS bigint) AS revenue
FROM store_sales
JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN item ON i_item_sk = ss_item_sk
JOIN customer ON c_customer_sk = ss_customer_sk
JOIN customer_address ON ca_address_sk = c_current_addr_sk
JOIN store ON s_store_sk = ss_store_sk
WHERE d_moy = $1 AND i_manager_id = $2 AND substr(ca_zip, 1, 5) <> substr(s_zip, 1, 5)
GROUP BY i_brand_id, i_brand, i_manufact_id
ORDER BY revenue DESC, i_brand_id, i_manufact_id
LIMIT 100
