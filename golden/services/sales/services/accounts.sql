-- key = ["account"]
-- [columns]
-- total = "integer"
-- sales = "integer"
SELECT account, sum(amount) AS total, count(*) AS sales FROM sale GROUP BY account ORDER BY account
