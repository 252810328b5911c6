-- path = "/one/{wanted}"
-- result = "row"
-- [parameters]
-- wanted = { type = "text", max_length = 20 }
SELECT id, account, amount, note FROM sale WHERE id = :wanted
