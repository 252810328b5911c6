INSERT INTO {s}transactions (id, transaction_type, account, amount, currency, description)
VALUES ($1, $2, $3, $4, $5, $6)
