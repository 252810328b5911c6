-- description = "The next number of a line of a purchase order that is pending, up to 999"
-- writes = true
-- result = "row"
-- [parameters]
-- purchaseOrderId = { type = "uuid" }
-- [answers.not_found]
-- status = 400
-- type = "text/plain"
-- body = "There is no pending purchase order {purchaseOrderId} with less than 999 lines."
-- [answers.ok]
-- body = { sequenceNumber = "{number}" }
INSERT INTO {schema}.po_line_number (purchase_order, last_number)
SELECT id, 1 + (SELECT count(*) FROM {schema}.po_line WHERE purchaseorderid = purchase_order.id)
FROM {schema}.purchase_order
WHERE id = :purchaseOrderId AND jsonb ->> 'workflowStatus' = 'Pending'
ON CONFLICT (purchase_order) DO UPDATE SET last_number = po_line_number.last_number + 1 WHERE po_line_number.last_number < 999
RETURNING CAST(last_number AS text) AS number
