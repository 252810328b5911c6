UPDATE {s}inventories
SET quantity_on_hand = quantity_on_hand - 1
WHERE product_id = $1 AND warehouse_id = $2
