-- [parameters]
-- least = { type = "integer", maximum = 100 }
-- [answers.invalid]
-- status = 200
-- body = { items = [], least = "{least}" }
SELECT id FROM sale WHERE amount >= :least ORDER BY id
