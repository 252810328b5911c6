-- D10: tickets of weekends in one year whose buyers lived in another city than they do now.
WITH trips AS (
  SELECT ss_ticket_number AS ticket, ss_customer_sk AS customer_sk, ca_city AS bought_city,
         CAST(sum(ss_coupon_amt) AS bigint) AS coupon,
         CAST(sum(ss_net_profit) AS bigint) AS profit
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  JOIN household_demographics ON hd_demo_sk = ss_hdemo_sk
  JOIN customer_address ON ca_address_sk = ss_addr_sk
  WHERE d_year = $1 AND d_dow IN (0, 6) AND (hd_dep_count = $2 OR hd_vehicle_count = $3)
  GROUP BY ss_ticket_number, ss_customer_sk, ca_city
)
SELECT c_customer_sk, c_last_name, c_first_name, ca_city, bought_city, ticket, coupon, profit
FROM trips
JOIN customer ON c_customer_sk = customer_sk
JOIN customer_address ON ca_address_sk = c_current_addr_sk
WHERE ca_city <> bought_city
ORDER BY c_customer_sk, ticket
LIMIT 100
