CREATE TABLE sale (
  id   INTEGER PRIMARY KEY,
  at   TIMESTAMP NOT NULL CHECK (at IS strftime('%Y-%m-%dT%H:%M:%S', substr(at, 1, 19)) || rtrim(rtrim(substr(printf('%.6f', '0' || substr(at, 20)), 2), '0'), '.')),
  paid TIMESTAMP CHECK (paid IS rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', paid), '0'), '.')),
  sent TIMESTAMP WITH TIME ZONE NOT NULL,
  CONSTRAINT sale_sent_ck CHECK (sent IS strftime('%Y-%m-%dT%H:%M:%SZ', sent))
);
CREATE INDEX sale_at ON sale (at);
CREATE TABLE hour (at TIMESTAMP NOT NULL PRIMARY KEY CHECK (at IS strftime('%Y-%m-%dT%H:%M:%S', at)), n INTEGER) WITHOUT ROWID;
