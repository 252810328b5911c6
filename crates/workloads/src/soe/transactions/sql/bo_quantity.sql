UPDATE {s}order_items
SET quantity = quantity + 1
WHERE order_id = $1 AND line_item_id = $2
