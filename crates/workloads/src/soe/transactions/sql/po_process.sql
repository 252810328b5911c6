UPDATE {s}orders SET order_status = $2 WHERE order_id = $1
