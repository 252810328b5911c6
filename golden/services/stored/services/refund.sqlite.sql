-- method = "POST"
-- path = "/sale/{sale}/refund"
-- result = "row"
-- [parameters]
-- sale = { type = "text" }
-- part = { type = "number", minimum = 0, maximum = 1, default = "0.5" }
UPDATE sale SET amount = amount - CAST(amount * :part AS integer) WHERE id = :sale RETURNING id, amount
