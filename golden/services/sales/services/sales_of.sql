-- path = "/accounts/{account}/sales"
-- [parameters]
-- account = { type = "text", max_length = 20 }
SELECT id, amount, note FROM sale WHERE account = :account ORDER BY id
