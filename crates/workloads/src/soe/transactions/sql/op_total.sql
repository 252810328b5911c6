UPDATE {s}orders
SET order_mode = 'online', order_status = $2, order_total = $3
WHERE order_id = $1
