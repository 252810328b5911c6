SELECT line_item_id, product_id, unit_price, quantity, dispatch_date, return_date, gift_wrap,
  condition, supplier_id, estimated_delivery
FROM {s}order_items
WHERE order_id = $1
LIMIT {rows}
