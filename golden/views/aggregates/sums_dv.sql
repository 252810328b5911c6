CREATE JSON RELATIONAL DUALITY VIEW sums_dv AS
  SELECT JSON {'_id'   : o.order_id,
               'total' : GENERATED USING (SELECT SUM(l.price * l.quantity) FROM line l WHERE l.order_id = o.order_id),
               'lines' : GENERATED USING (PATH '$.items.count()'),
               'each'  : GENERATED USING (SELECT NVL(AVG(l.price), 0) FROM line l WHERE l.order_id = o.order_id),
               'items' : [ SELECT JSON {'id' : l.line_id} FROM line l WHERE l.order_id = o.order_id ]}
    FROM orders o;
