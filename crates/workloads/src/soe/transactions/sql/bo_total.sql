UPDATE {s}orders SET order_total = order_total + $2 WHERE order_id = $1
