-- description = "The next number of a line of a purchase order that is pending, up to 999; with poLineNumbers the next ones of a list"
-- writes = true
-- result = "document"
-- [columns]
-- numbers = "json"
-- [parameters]
-- purchaseOrderId = { type = "uuid" }
-- poLineNumbers = { type = "integer", minimum = 1, maximum = 999, optional = true }
-- [answers.not_found]
-- status = 400
-- type = "text/plain"
-- body = "There is no pending purchase order {purchaseOrderId} with less than 999 lines."
INSERT INTO {schema}.po_line_number (purchase_order, last_number)
SELECT id, coalesce(:poLineNumbers, 1) + (SELECT count(*) FROM {schema}.po_line WHERE purchaseorderid = purchase_order.id)
FROM {schema}.purchase_order
WHERE id = :purchaseOrderId AND jsonb ->> 'workflowStatus' = 'Pending'
  AND coalesce(:poLineNumbers, 1) + (SELECT count(*) FROM {schema}.po_line WHERE purchaseorderid = purchase_order.id) <= 999
ON CONFLICT (purchase_order) DO UPDATE SET last_number = po_line_number.last_number + coalesce(:poLineNumbers, 1)
  WHERE po_line_number.last_number + coalesce(:poLineNumbers, 1) <= 999
RETURNING CASE WHEN :poLineNumbers IS NULL THEN json_object('sequenceNumber', CAST(last_number AS TEXT)) ELSE json_object('sequenceNumbers',
    json((WITH RECURSIVE steps (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM steps WHERE i < :poLineNumbers)
     SELECT json_group_array(CAST(last_number - :poLineNumbers + i AS TEXT)) FROM steps))) END AS numbers
