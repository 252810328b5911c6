-- D09: customers with many lines on a ticket of the first three days of a month, in three years, in
-- stores of three counties, with more dependents than vehicles.
WITH large AS (
  SELECT ss_ticket_number AS ticket, ss_customer_sk AS customer_sk, count(*) AS line_count
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  JOIN store ON s_store_sk = ss_store_sk
  JOIN household_demographics ON hd_demo_sk = ss_hdemo_sk
  WHERE d_dom BETWEEN 1 AND 3 AND d_year BETWEEN $1 AND $1 + 2 AND s_county IN ($2, $3, $4)
    AND hd_vehicle_count > 0 AND hd_dep_count * 5 > hd_vehicle_count * 6
  GROUP BY ss_ticket_number, ss_customer_sk
  HAVING count(*) BETWEEN 12 AND 20
)
SELECT c_customer_sk, c_last_name, c_first_name, c_preferred_cust_flag, ticket, line_count
FROM large
JOIN customer ON c_customer_sk = customer_sk
ORDER BY line_count DESC, c_customer_sk, ticket
LIMIT 100
