CREATE TABLE sale (
  id   bigint PRIMARY KEY,
  at   timestamp NOT NULL,
  paid timestamp,
  sent timestamptz NOT NULL
);
CREATE INDEX sale_at ON sale (at);
CREATE TABLE hour (at timestamp PRIMARY KEY, n bigint);
