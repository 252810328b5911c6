-- Every declared type that means something.
CREATE TABLE typed (
  id INTEGER PRIMARY KEY,
  flag BOOLEAN NOT NULL DEFAULT 1,
  small SMALLINT, big BIGINT,
  price DECIMAL(10,2), ratio NUMERIC, whole NUMERIC(8),
  single REAL, double DOUBLE PRECISION,
  short CHAR(5), name VARCHAR(40) DEFAULT 'x''y', words TEXT,
  bytes BLOB, raw VARBINARY(16), uid UUID,
  day DATE, clock TIME, clock_tz TIME WITH TIME ZONE,
  at DATETIME DEFAULT CURRENT_TIMESTAMP, stamp TIMESTAMP(3), moment TIMESTAMP WITH TIME ZONE,
  span INTERVAL, document JSON, packed JSONB,
  anything, money MONEY
);
CREATE TABLE exact (id INTEGER PRIMARY KEY, what ANY, how TEXT) STRICT;
CREATE VIEW shown AS
  SELECT t.id, t.price, t.bytes, t.price * 2 AS twice, count(*) AS n, upper(t.name) AS loud,
         CAST(t.small AS TEXT) AS small_text, CAST(t.name AS INT) AS number, 7 AS seven
    FROM typed t;
