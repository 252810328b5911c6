INSERT INTO {s}orders (order_id, order_date, customer_id, warehouse_id, delivery_type,
  cost_of_delivery, wait_till_all_available, order_status, delivery_address_id, customer_class,
  card_id)
VALUES ($1, $2, $3, $4, 'Standard', $5, 'ship_asap', $6, $7, $8, $9)
