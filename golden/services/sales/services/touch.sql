-- method = "PUT"
-- path = "/touch/{id}"
-- result = "nothing"
-- [parameters]
-- id = { type = "text" }
-- note = { type = "text" }
UPDATE sale SET note = :note WHERE id = :id
