-- A thousand transactions for SQLite, a second apart: the same every time, and the same as on PostgreSQL.

INSERT INTO transactions (id, transaction_type, account, amount, currency, description, created_at, updated_at)
  WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 1000)
  SELECT printf('TXN-%08d', i), 'sale', printf('ACC%06d', i * 37 % 1000), 100 + i * 7919 % 100000,
         CASE i % 3 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' ELSE 'GBP' END, 'Sale ' || i,
         strftime('%Y-%m-%dT%H:%M:%S', '2025-11-01', '+' || i || ' seconds'),
         strftime('%Y-%m-%dT%H:%M:%S', '2025-11-01', '+' || i || ' seconds')
  FROM number;
