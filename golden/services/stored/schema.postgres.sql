CREATE FUNCTION large(at_least integer DEFAULT 0) RETURNS SETOF sale LANGUAGE sql STABLE
  AS 'SELECT * FROM sale WHERE amount >= at_least ORDER BY id';
COMMENT ON FUNCTION large IS 'Sales of at at_least so much';
CREATE FUNCTION one_sale(wanted text) RETURNS sale LANGUAGE sql STABLE AS 'SELECT * FROM sale WHERE id = wanted';
CREATE FUNCTION sum_of(text) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(amount) FROM sale WHERE account = $1';
CREATE FUNCTION sum_of(integer) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(amount) FROM sale WHERE amount > $1';
CREATE FUNCTION as_document(wanted text) RETURNS jsonb LANGUAGE sql STABLE
  AS $$SELECT jsonb_build_object('id', id, 'amount', amount) FROM sale WHERE id = wanted$$;
CREATE FUNCTION sell(id text, account text, amount integer, note text DEFAULT 'no note', OUT sold text, OUT number_of bigint)
  LANGUAGE plpgsql AS $$BEGIN
    INSERT INTO sale VALUES (sell.id, sell.account, sell.amount, sell.note) RETURNING sale.id INTO sold;
    SELECT count(*) INTO number_of FROM sale;
  END$$;
CREATE FUNCTION refund(sale text, part numeric) RETURNS TABLE (id text, amount integer) LANGUAGE sql
  AS 'UPDATE sale SET amount = amount - CAST(amount * part AS integer) WHERE id = refund.sale RETURNING id, amount';
CREATE PROCEDURE touch(sale text, words text) LANGUAGE sql AS 'UPDATE sale SET note = words WHERE id = touch.sale';
CREATE PROCEDURE rename(old text, new text, INOUT number_of integer DEFAULT 0) LANGUAGE plpgsql AS $$BEGIN
    UPDATE sale SET account = new WHERE account = old;
    GET DIAGNOSTICS number_of = ROW_COUNT;
  END$$;
