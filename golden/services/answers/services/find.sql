-- method = "POST"
-- path = "/find"
-- reads = true
-- result = "row"
-- [parameters]
-- id = { type = "text" }
-- [answers.ok]
-- headers = { X-Answer = "{id}" }
SELECT id, amount FROM sale WHERE id = :id
