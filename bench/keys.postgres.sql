-- Other kinds of keys and a wide table, 100,000 rows each, for `figures.py`.
CREATE TABLE key_text (id text PRIMARY KEY, name text NOT NULL, points integer NOT NULL);
CREATE TABLE key_uuid (id uuid PRIMARY KEY, name text NOT NULL, points integer NOT NULL);
CREATE TABLE key_pair (a integer, b integer, name text NOT NULL, points integer NOT NULL, PRIMARY KEY (a, b));
INSERT INTO key_text SELECT 'key-' || lpad(i::text, 6, '0'), 'Name ' || i, i % 500 FROM generate_series(1, 100000) i;
INSERT INTO key_uuid SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'Name ' || i, i % 500 FROM generate_series(1, 100000) i;
INSERT INTO key_pair SELECT i, i % 10, 'Name ' || i, i % 500 FROM generate_series(1, 100000) i;
DO $$
BEGIN
  EXECUTE 'CREATE TABLE wide (id integer PRIMARY KEY, '
    || (SELECT string_agg(format('c%s %s', c, CASE WHEN c % 3 = 0 THEN 'integer' WHEN c % 3 = 1 THEN 'text' ELSE 'numeric(10,2)' END), ', ') FROM generate_series(2, 40) c) || ')';
  EXECUTE 'INSERT INTO wide SELECT i, '
    || (SELECT string_agg(CASE WHEN c % 3 = 0 THEN 'i + ' || c WHEN c % 3 = 1 THEN '''value '' || i' ELSE 'i / 100.0' END, ', ') FROM generate_series(2, 40) c)
    || ' FROM generate_series(1, 100000) i';
END $$;
ANALYZE;
