WITH RECURSIVE numbers(number) AS (
  SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < 11),
parts AS (
  SELECT datetime($2, (-5 * (number + 1)) || ' minutes') AS since,
    datetime($2, (-5 * number) || ' minutes') AS until
  FROM numbers)
SELECT parts.until, sum(o.order_total) AS total, count(*) AS orders
FROM parts
JOIN {s}orders o ON o.order_date > parts.since AND o.order_date <= parts.until
WHERE o.warehouse_id = $1
GROUP BY parts.until
ORDER BY parts.until
