SELECT {columns}
FROM {s}{table}
WHERE customer_id = $1
LIMIT {rows}
