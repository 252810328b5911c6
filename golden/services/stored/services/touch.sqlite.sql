-- method = "PUT"
-- path = "/touch/{sale}"
-- result = "nothing"
-- [parameters]
-- sale = { type = "text" }
-- words = { type = "text" }
UPDATE sale SET note = :words WHERE id = :sale
