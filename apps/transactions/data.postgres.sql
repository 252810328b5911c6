-- A thousand transactions for PostgreSQL, a second apart: the same every time, and the same as on SQLite.

INSERT INTO transactions (id, transaction_type, account, amount, currency, description, created_at, updated_at)
  SELECT 'TXN-' || lpad(i::text, 8, '0'), 'sale', 'ACC' || lpad((i::bigint * 37 % 1000)::text, 6, '0'),
         100 + i::bigint * 7919 % 100000, CASE i % 3 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' ELSE 'GBP' END,
         'Sale ' || i, timestamp '2025-11-01' + i * interval '1 second', timestamp '2025-11-01' + i * interval '1 second'
  FROM generate_series(1, 1000) AS number(i);
