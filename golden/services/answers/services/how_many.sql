-- result = "count"
-- [answers.ok]
-- body = { text = "There are {count}.", count = "{count}" }
SELECT count(*) FROM sale
