-- description = "Sales of at at_least so much"
-- [parameters]
-- at_least = { type = "integer", minimum = 0, default = 0 }
SELECT id, account, amount, note FROM sale WHERE amount >= :at_least ORDER BY id
