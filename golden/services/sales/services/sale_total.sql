-- path = "/total"
-- result = "row"
-- [parameters]
-- account = { type = "text" }
SELECT account, max(amount) AS most FROM sale WHERE account = :account GROUP BY account
