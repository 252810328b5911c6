SELECT {columns}
FROM {s}products p
JOIN {s}inventories i ON i.product_id = p.product_id
WHERE p.product_id = $1
LIMIT 14
