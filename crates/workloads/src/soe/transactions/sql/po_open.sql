SELECT o.order_id, o.order_date, o.order_mode, o.order_status, o.order_total,
  o.sales_rep_id, o.promotion_id, c.customer_id, c.cust_first_name, c.cust_last_name,
  c.credit_limit, c.cust_email, i.line_item_id, i.product_id, i.unit_price, i.quantity
FROM (SELECT * FROM {s}orders WHERE warehouse_id = $1 AND order_status <= 4 LIMIT 9) o
JOIN {s}customers c ON c.customer_id = o.customer_id
LEFT JOIN {s}order_items i ON i.order_id = o.order_id
