-- result = "count"
SELECT count(*) FROM sale
