SELECT {columns}
FROM {s}customers
WHERE lower(cust_last_name) = $1 AND lower(cust_first_name) = $2
LIMIT {rows}
