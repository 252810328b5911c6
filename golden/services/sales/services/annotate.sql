-- method = "POST"
-- path = "/annotate/{id}"
-- result = "row"
-- [columns]
-- doc = "json"
-- [parameters]
-- id = { type = "text" }
UPDATE sale SET note = 'x' WHERE id = :id RETURNING id, '{"of": [1]}' AS doc
