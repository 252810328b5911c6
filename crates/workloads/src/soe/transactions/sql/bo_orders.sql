SELECT order_id, order_date, order_mode, order_status, order_total, sales_rep_id, promotion_id
FROM {s}orders
WHERE customer_id = $1
LIMIT {rows}
