SELECT o.order_mode AS order_mode, w.warehouse_id AS warehouse_id, sum(o.order_total) AS total, count(*) AS orders
FROM {s}orders o JOIN {s}warehouses w ON w.warehouse_id = o.warehouse_id
WHERE w.warehouse_id = $1
GROUP BY CUBE (o.order_mode, w.warehouse_id)
