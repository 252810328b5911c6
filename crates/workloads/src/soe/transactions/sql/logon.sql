INSERT INTO {s}logon (logon_id, customer_id, logon_date)
VALUES ({id}, $1, $2)
