SELECT quantity_on_hand
FROM {s}inventories
WHERE product_id = $1 AND warehouse_id = $2
