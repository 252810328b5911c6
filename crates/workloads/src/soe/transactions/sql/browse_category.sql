SELECT {columns}
FROM {s}products p
JOIN {s}inventories i ON i.product_id = p.product_id
WHERE p.category_id = $1 AND i.warehouse_id = $2
LIMIT {rows}
