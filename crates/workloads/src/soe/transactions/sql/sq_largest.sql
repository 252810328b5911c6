SELECT t.place, t.order_id, t.order_date, t.order_total, c.customer_id, c.cust_first_name,
  c.cust_last_name
FROM (SELECT order_id, order_date, order_total, customer_id,
    rank() OVER (ORDER BY order_total DESC) AS place
  FROM {s}orders
  WHERE sales_rep_id = $1) t
JOIN {s}customers c ON c.customer_id = t.customer_id
WHERE t.place <= 10
ORDER BY t.place
