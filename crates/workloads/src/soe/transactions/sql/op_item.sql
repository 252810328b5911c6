INSERT INTO {s}order_items (order_id, line_item_id, product_id, unit_price, quantity, gift_wrap,
  condition, estimated_delivery)
VALUES ($1, $2, $3, $4, 1, 'None', 'New', $5)
