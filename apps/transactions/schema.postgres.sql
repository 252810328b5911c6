-- The transactions sample for PostgreSQL: the table, its rules, its indexes, and the trigger that dates changes.

CREATE TABLE transactions (
  id                varchar(100) NOT NULL PRIMARY KEY,
  transaction_type  varchar(50)  NOT NULL,
  account           varchar(100) NOT NULL,
  amount            bigint       NOT NULL,
  currency          varchar(10)  NOT NULL,
  description       varchar(500),
  status            varchar(50)  NOT NULL DEFAULT 'SUCCESS',
  message           varchar(500) DEFAULT 'Transaction processed successfully',
  error_code        varchar(50),
  error_message     varchar(500),
  created_at        timestamp    NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
  updated_at        timestamp    NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
  -- Other types are refused, in any case of their letters.
  CONSTRAINT transactions_type_ck CHECK (lower(transaction_type) = 'sale')
);

CREATE INDEX transactions_type_ix    ON transactions (transaction_type);
CREATE INDEX transactions_status_ix  ON transactions (status);
CREATE INDEX transactions_created_ix ON transactions (created_at DESC);

CREATE FUNCTION transactions_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at THEN
    NEW.updated_at := now() AT TIME ZONE 'UTC';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER transactions_updated BEFORE UPDATE ON transactions
  FOR EACH ROW EXECUTE FUNCTION transactions_touch();
