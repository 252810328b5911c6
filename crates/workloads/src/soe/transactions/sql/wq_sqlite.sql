SELECT o.order_mode AS order_mode, w.warehouse_id AS warehouse_id, sum(o.order_total) AS total, count(*) AS orders
FROM {s}orders o JOIN {s}warehouses w ON w.warehouse_id = o.warehouse_id
WHERE w.warehouse_id = $1
GROUP BY o.order_mode, w.warehouse_id
UNION ALL
SELECT o.order_mode AS order_mode, NULL AS warehouse_id, sum(o.order_total) AS total, count(*) AS orders
FROM {s}orders o JOIN {s}warehouses w ON w.warehouse_id = o.warehouse_id
WHERE w.warehouse_id = $1
GROUP BY o.order_mode
UNION ALL
SELECT NULL AS order_mode, w.warehouse_id AS warehouse_id, sum(o.order_total) AS total, count(*) AS orders
FROM {s}orders o JOIN {s}warehouses w ON w.warehouse_id = o.warehouse_id
WHERE w.warehouse_id = $1
GROUP BY w.warehouse_id
UNION ALL
SELECT NULL AS order_mode, NULL AS warehouse_id, sum(o.order_total) AS total, count(*) AS orders
FROM {s}orders o JOIN {s}warehouses w ON w.warehouse_id = o.warehouse_id
WHERE w.warehouse_id = $1
