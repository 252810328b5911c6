-- method = "DELETE"
-- path = "/accounts/{account}"
-- result = "count"
-- [parameters]
-- account = { type = "text" }
DELETE FROM sale WHERE account = :account
