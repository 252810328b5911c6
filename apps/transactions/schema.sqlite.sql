-- The transactions sample for SQLite: the table, its rules, its indexes, and the trigger that dates changes.

CREATE TABLE transactions (
  id                VARCHAR(100) NOT NULL PRIMARY KEY,
  transaction_type  VARCHAR(50)  NOT NULL,
  account           VARCHAR(100) NOT NULL,
  amount            BIGINT       NOT NULL,
  currency          VARCHAR(10)  NOT NULL,
  description       VARCHAR(500),
  status            VARCHAR(50)  NOT NULL DEFAULT 'SUCCESS',
  message           VARCHAR(500) DEFAULT 'Transaction processed successfully',
  error_code        VARCHAR(50),
  error_message     VARCHAR(500),
  created_at        TIMESTAMP    NOT NULL DEFAULT (rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', 'now'), '0'), '.')),
  updated_at        TIMESTAMP    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now')),
  -- Other types are refused, in any case of their letters.
  CONSTRAINT transactions_type_ck CHECK (lower(transaction_type) = 'sale'),
  -- One text for each moment, to the microsecond, so that the index below has the order of time.
  CONSTRAINT transactions_created_ck CHECK (
    created_at IS strftime('%Y-%m-%dT%H:%M:%S', substr(created_at, 1, 19)) ||
      rtrim(rtrim(substr(printf('%.6f', '0' || substr(created_at, 20)), 2), '0'), '.')
  )
);

CREATE INDEX transactions_type_ix    ON transactions (transaction_type);
CREATE INDEX transactions_status_ix  ON transactions (status);
CREATE INDEX transactions_created_ix ON transactions (created_at DESC);

CREATE TRIGGER transactions_updated AFTER UPDATE ON transactions
WHEN NEW.updated_at IS OLD.updated_at
BEGIN
  UPDATE transactions SET updated_at = strftime('%Y-%m-%dT%H:%M:%f', 'now') WHERE id = NEW.id;
END;
