WITH parts AS (
  SELECT $2::timestamp - (number + 1) * interval '5 minutes' AS since,
    $2::timestamp - number * interval '5 minutes' AS until
  FROM generate_series(0, 11) AS number)
SELECT parts.until, sum(o.order_total) AS total, count(*) AS orders
FROM parts
JOIN {s}orders o ON o.order_date > parts.since AND o.order_date <= parts.until
WHERE o.warehouse_id = $1
GROUP BY parts.until
ORDER BY parts.until
