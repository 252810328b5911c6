CREATE SCHEMA IF NOT EXISTS duet;

-- Not logged: after a crash of the server everything is read anew anyway.
CREATE UNLOGGED TABLE IF NOT EXISTS duet.change (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    xid xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(),
    relation oid NOT NULL,
    -- o: a row as it was, n: as it is, t: any row may have changed.
    kind "char" NOT NULL,
    columns text[],
    image text[]
);
CREATE INDEX IF NOT EXISTS change_xid ON duet.change (xid);

-- All transactions below `safe` had ended 15 seconds before `at`, all below `horizon` at that moment.
CREATE UNLOGGED TABLE IF NOT EXISTS duet.change_mark (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    at timestamptz NOT NULL,
    horizon xid8 NOT NULL,
    safe xid8 NOT NULL
);

CREATE OR REPLACE FUNCTION duet.capture_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    most CONSTANT integer := 500;
    many boolean := false;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        many := true;
    ELSIF TG_OP = 'INSERT' THEN
        many := (SELECT count(*) > most FROM (SELECT FROM new_rows LIMIT most + 1) AS part);
    ELSIF TG_OP = 'DELETE' THEN
        many := (SELECT count(*) > most FROM (SELECT FROM old_rows LIMIT most + 1) AS part);
    ELSE
        many := (SELECT count(*) > most / 2 FROM (SELECT FROM new_rows LIMIT most / 2 + 1) AS part);
    END IF;
    IF many THEN
        INSERT INTO duet.change (relation, kind) VALUES (TG_RELID, 't');
    ELSE
        IF TG_OP IN ('UPDATE', 'DELETE') THEN
            INSERT INTO duet.change (relation, kind, columns, image)
            SELECT TG_RELID, 'o', TG_ARGV,
                   (SELECT array_agg(it.data ->> wanted.name ORDER BY wanted.at)
                      FROM unnest(TG_ARGV) WITH ORDINALITY AS wanted(name, at))
              FROM (SELECT to_jsonb(old_rows) AS data FROM old_rows OFFSET 0) AS it;
        END IF;
        IF TG_OP IN ('UPDATE', 'INSERT') THEN
            INSERT INTO duet.change (relation, kind, columns, image)
            SELECT TG_RELID, 'n', TG_ARGV,
                   (SELECT array_agg(it.data ->> wanted.name ORDER BY wanted.at)
                      FROM unnest(TG_ARGV) WITH ORDINALITY AS wanted(name, at))
              FROM (SELECT to_jsonb(new_rows) AS data FROM new_rows OFFSET 0) AS it;
        END IF;
    END IF;
    -- Now and then some of what every reader has seen is removed. Stricter transactions are left alone: they
    -- would fail where another one removes the same.
    IF random() < 0.02 AND current_setting('transaction_isolation') = 'read committed' THEN
        PERFORM duet.forget_changes();
    END IF;
    RETURN NULL;
END
$body$;

CREATE OR REPLACE FUNCTION duet.forget_changes() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    mark duet.change_mark;
BEGIN
    SELECT * INTO mark FROM duet.change_mark FOR UPDATE SKIP LOCKED;
    IF FOUND AND mark.at < clock_timestamp() - interval '15 seconds' THEN
        UPDATE duet.change_mark
           SET at = clock_timestamp(), horizon = pg_snapshot_xmin(pg_current_snapshot()), safe = mark.horizon;
        mark.safe := mark.horizon;
    ELSIF NOT FOUND THEN
        -- Locked, or lost with a crash.
        INSERT INTO duet.change_mark (at, horizon, safe)
        SELECT clock_timestamp(), pg_snapshot_xmin(pg_current_snapshot()), '0'::xid8
         WHERE NOT EXISTS (SELECT FROM duet.change_mark)
            ON CONFLICT DO NOTHING;
        RETURN;
    END IF;
    DELETE FROM duet.change WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM duet.change WHERE xid < mark.safe LIMIT 2000 FOR UPDATE SKIP LOCKED));
END
$body$;
