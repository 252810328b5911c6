-- description = "The next number of a purchase order. Each call takes one, and numbers may be left out"
-- writes = true
-- result = "row"
-- [answers.ok]
-- body = { sequenceNumber = "{number}" }
UPDATE {schema}.po_number SET last_number = last_number + 1 RETURNING CAST(last_number AS text) AS number
