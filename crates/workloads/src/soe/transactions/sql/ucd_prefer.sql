UPDATE {s}customers SET preferred_address = $1 WHERE customer_id = $2
