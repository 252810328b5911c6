-- method = "POST"
-- path = "/sale/{id}/refund"
-- result = "row"
-- [parameters]
-- id = { type = "text" }
-- part = { type = "number", minimum = 0, maximum = 1, default = "0.5" }
UPDATE sale SET amount = amount - CAST(amount * :part AS integer) WHERE id = :id RETURNING id, amount
