-- # Texts that are JSON are embedded; any other text is a string.
-- [columns]
-- doc = "json"
-- remark = "json"
SELECT id, '{"a": [1, "b c"],  "a2":1.50}' AS doc, note AS remark FROM sale ORDER BY id
