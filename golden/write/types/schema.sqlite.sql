-- A column for every type of which both stores can hold the same value.
CREATE TABLE types (
  id BIGINT PRIMARY KEY,
  flag BOOLEAN, small SMALLINT, number INTEGER, big BIGINT,
  price NUMERIC(12,2), whole NUMERIC(10), ratio NUMERIC,
  single REAL, double DOUBLE PRECISION,
  code CHAR(3), name VARCHAR(80), words TEXT,
  bytes BLOB, uid UUID,
  day DATE, clock TIME, clock_tz TIME WITH TIME ZONE,
  stamp TIMESTAMP, moment TIMESTAMP WITH TIME ZONE, span INTERVAL,
  doc JSON, packed JSONB,
  mood VARCHAR(10), numbers JSON, labels JSON, host VARCHAR(40)
);
