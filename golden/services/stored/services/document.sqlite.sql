-- path = "/documents/{wanted}"
-- result = "document"
-- [columns]
-- document = "json"
-- [parameters]
-- wanted = { type = "text" }
SELECT json_object('id', id, 'amount', amount) AS document FROM sale WHERE id = :wanted
