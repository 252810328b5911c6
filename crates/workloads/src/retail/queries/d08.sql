-- D08: sales of the stores of one name to three kinds of households, by half hours of the morning.
SELECT count(CASE WHEN t_hour = 8 AND t_minute >= 30 THEN 1 END) AS from_8_30,
       count(CASE WHEN t_hour = 9 AND t_minute < 30 THEN 1 END) AS from_9_00,
       count(CASE WHEN t_hour = 9 AND t_minute >= 30 THEN 1 END) AS from_9_30,
       count(CASE WHEN t_hour = 10 AND t_minute < 30 THEN 1 END) AS from_10_00,
       count(CASE WHEN t_hour = 10 AND t_minute >= 30 THEN 1 END) AS from_10_30,
       count(CASE WHEN t_hour = 11 AND t_minute < 30 THEN 1 END) AS from_11_00,
       count(CASE WHEN t_hour = 11 AND t_minute >= 30 THEN 1 END) AS from_11_30,
       count(CASE WHEN t_hour = 12 AND t_minute < 30 THEN 1 END) AS from_12_00
FROM store_sales
JOIN time_dim ON t_time_sk = ss_sold_time_sk
JOIN household_demographics ON hd_demo_sk = ss_hdemo_sk
JOIN store ON s_store_sk = ss_store_sk
WHERE s_store_name = $1 AND t_hour BETWEEN 8 AND 12
  AND ((hd_dep_count = $2 AND hd_vehicle_count <= $2 + 2)
    OR (hd_dep_count = $3 AND hd_vehicle_count <= $3 + 2)
    OR (hd_dep_count = $4 AND hd_vehicle_count <= $4 + 2))
LIMIT 100
