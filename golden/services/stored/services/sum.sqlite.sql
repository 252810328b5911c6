-- path = "/accounts/{arg1}/sum"
-- result = "count"
-- [parameters]
-- arg1 = { type = "text" }
SELECT sum(amount) FROM sale WHERE account = :arg1
