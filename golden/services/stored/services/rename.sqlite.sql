-- method = "POST"
-- result = "count"
-- [parameters]
-- old = { type = "text" }
-- new = { type = "text" }
UPDATE sale SET account = :new WHERE account = :old
