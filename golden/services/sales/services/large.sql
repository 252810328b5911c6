-- # The largest sales first; filters and pages are those of a table.
-- description = "Sales of at least so much, the largest first"
-- [parameters]
-- least = { type = "integer", minimum = 0, default = 0 }
SELECT id, account, amount FROM sale
WHERE amount >= :least ORDER BY amount DESC -- the caller may order otherwise
