-- D05: means per item that one kind of people bought in stores with a promotion in one year, where the
-- promotion was not both mailed and an event.
SELECT i_item_sk, i_item_id, count(*) AS lines,
       CAST(sum(ss_quantity) AS double precision) / count(*) AS quantity,
       CAST(sum(ss_list_price) AS double precision) / count(*) AS list_price,
       CAST(sum(ss_coupon_amt) AS double precision) / count(*) AS coupon,
       CAST(sum(ss_sales_price) AS double precision) / count(*) AS sales_price
FROM store_sales
JOIN customer_demographics ON cd_demo_sk = ss_cdemo_sk
JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN item ON i_item_sk = ss_item_sk
JOIN promotion ON p_promo_sk = ss_promo_sk
WHERE cd_gender = $1 AND cd_marital_status = $2 AND cd_education_status = $3 AND d_year = $4
  AND (p_channel_email = 'N' OR p_channel_event = 'N')
GROUP BY i_item_sk, i_item_id
ORDER BY i_item_sk
LIMIT 100
