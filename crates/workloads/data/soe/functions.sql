-- Order entry's transactions as functions: soe-server calls one per transaction. Each returns what it did:
-- selects, inserts, updates, deletes, commits, rollbacks, and the milliseconds that it slept on purpose.
-- A function cannot commit, so its caller does; it catches nothing, so its caller learns why it failed.
-- Lower bounds of random numbers are included, upper bounds are not.

CREATE OR REPLACE FUNCTION soe.duet_think(min_sleep integer, max_sleep integer) RETURNS integer
LANGUAGE plpgsql AS $f$
DECLARE
  length integer := min_sleep + floor(random() * (max_sleep - min_sleep + 1))::integer;
BEGIN
  IF length <= 0 THEN
    RETURN 0;
  END IF;
  PERFORM pg_sleep(length / 1000.0);
  RETURN length;
END $f$;

-- From and to, the latter not included.
CREATE OR REPLACE FUNCTION soe.duet_between(first bigint, beyond bigint) RETURNS bigint
LANGUAGE sql VOLATILE AS $f$
  SELECT first + floor(random() * greatest(beyond - first, 1))::bigint
$f$;

-- Reads a customer and notes a logon once in three times; how many rows that added.
CREATE OR REPLACE FUNCTION soe.duet_logon(cust bigint) RETURNS integer
LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM * FROM soe.customers WHERE customer_id = cust LIMIT 14;
  IF random() >= 1.0 / 3 THEN
    RETURN 0;
  END IF;
  INSERT INTO soe.logon (logon_id, customer_id, logon_date)
    VALUES (nextval('soe.logon_seq'), cust, (now() AT TIME ZONE 'utc')::date);
  RETURN 1;
END $f$;

CREATE OR REPLACE FUNCTION soe.newcustomer(
  first_name text, last_name text, lang text, territory text, town_name text, county_name text,
  country_name text, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  today date := (now() AT TIME ZONE 'utc')::date;
  cust bigint;
  address bigint;
  card bigint;
  inserts integer := 3;
  slept integer := 0;
BEGIN
  SELECT nextval('soe.customer_seq') INTO cust;
  SELECT nextval('soe.address_seq') INTO address;
  SELECT nextval('soe.card_details_seq') INTO card;
  slept := soe.duet_think(min_sleep, max_sleep);
  INSERT INTO soe.customers (customer_id, cust_first_name, cust_last_name, nls_language,
      nls_territory, credit_limit, cust_email, account_mgr_id, customer_since, customer_class,
      suggestions, dob, mailshot, partner_mailshot, preferred_address, preferred_card)
    VALUES (cust, first_name, last_name, lang, territory, soe.duet_between(100, 5000),
      lower(first_name) || '.' || lower(last_name) || '@oracle.com', soe.duet_between(145, 171),
      today, 'Occasional', 'Music', today - soe.duet_between(20 * 365, 60 * 365)::integer,
      'Y', 'N', address, card);
  INSERT INTO soe.addresses (address_id, customer_id, date_created, house_no_or_name, street_name,
      town, county, country, post_code, zip_code)
    VALUES (address, cust, today, soe.duet_between(1, 200)::text, 'Street Name', town_name,
      county_name, country_name, 'Postcode', NULL);
  INSERT INTO soe.card_details (card_id, customer_id, card_type, card_number, expiry_date, is_valid,
      security_code)
    VALUES (card, cust, 'Visa (Debit)', soe.duet_between(1111111111, 9999999999),
      today + soe.duet_between(365, 1460)::integer, 'Y', soe.duet_between(1111, 9999));
  slept := slept + soe.duet_think(min_sleep, max_sleep);
  inserts := inserts + soe.duet_logon(cust);
  PERFORM * FROM soe.customers WHERE customer_id = cust LIMIT 14;
  RETURN ARRAY[5, inserts, 0, 0, 0, 0, slept];
END $f$;

CREATE OR REPLACE FUNCTION soe.updatecustomerdetails(
  first_name text, last_name text, town_name text, county_name text, country_name text,
  min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  address bigint := nextval('soe.address_seq');
  matches bigint[];
  slept integer;
BEGIN
  SELECT array_agg(t.customer_id) INTO matches FROM (
    SELECT * FROM soe.customers WHERE lower(cust_last_name) = lower(last_name)
      AND lower(cust_first_name) = lower(first_name) LIMIT 14) t;
  slept := soe.duet_think(min_sleep, max_sleep);
  IF coalesce(cardinality(matches), 0) < 2 THEN
    RETURN ARRAY[1, 0, 0, 0, 0, 0, slept];
  END IF;
  INSERT INTO soe.addresses (address_id, customer_id, date_created, house_no_or_name, street_name,
      town, county, country, post_code, zip_code)
    VALUES (address, matches[1], (now() AT TIME ZONE 'utc')::date,
      soe.duet_between(1, 200)::text, 'Street Name', town_name, county_name, country_name,
      'Postcode', NULL);
  UPDATE soe.customers SET preferred_address = address WHERE customer_id = matches[1];
  RETURN ARRAY[1, 1, 1, 0, 0, 0, slept];
END $f$;

CREATE OR REPLACE FUNCTION soe.browseproducts(
  cust bigint, products integer, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  looks integer := soe.duet_between(1, 24);
  product integer;
  slept integer;
BEGIN
  PERFORM * FROM soe.customers WHERE customer_id = cust LIMIT 14;
  slept := soe.duet_think(min_sleep, max_sleep);
  FOR look IN 1..looks LOOP
    product := soe.duet_between(1, products);
    PERFORM p.product_id, p.product_name, p.product_description, p.category_id, p.weight_class,
        p.warranty_period, p.supplier_id, p.product_status, p.list_price, p.min_price,
        p.catalog_url, i.quantity_on_hand
      FROM soe.products p JOIN soe.inventories i ON i.product_id = p.product_id
      WHERE p.product_id = product LIMIT 14;
    slept := slept + soe.duet_think(min_sleep, max_sleep);
  END LOOP;
  RETURN ARRAY[1 + looks, 0, 0, 0, 0, 0, slept];
END $f$;

CREATE OR REPLACE FUNCTION soe.neworder(
  cust bigint, categories integer, warehouses integer, min_sleep integer, max_sleep integer)
RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  looks integer := soe.duet_between(1, 24);
  selects integer := 4 + looks;
  inserts integer;
  slept integer;
  buyer record;
  category integer;
  place integer;
  seen integer[] := '{}';
  prices numeric[] := '{}';
  new_order bigint;
  at integer;
  stocked bigint;
  line integer := 0;
  total numeric := 0;
  sold integer[] := '{}';
  sold_from integer[] := '{}';
  pair record;
BEGIN
  SELECT * INTO buyer FROM soe.customers WHERE customer_id = cust LIMIT 14;
  PERFORM * FROM soe.addresses WHERE customer_id = cust LIMIT 14;
  PERFORM * FROM soe.card_details WHERE customer_id = cust LIMIT 14;
  inserts := soe.duet_logon(cust);
  slept := soe.duet_think(min_sleep, max_sleep);
  FOR look IN 1..looks LOOP
    category := soe.duet_between(1, categories);
    place := soe.duet_between(1, warehouses);
    SELECT seen || array_agg(t.product_id), prices || array_agg(t.list_price) INTO seen, prices
      FROM (SELECT p.product_id, p.product_name, p.product_description, p.category_id,
          p.weight_class, p.warranty_period, p.supplier_id, p.product_status, p.list_price,
          p.min_price, p.catalog_url, i.quantity_on_hand
        FROM soe.products p JOIN soe.inventories i ON i.product_id = p.product_id
        WHERE p.category_id = category AND i.warehouse_id = place LIMIT 14) t;
    slept := slept + soe.duet_think(min_sleep, max_sleep);
  END LOOP;
  IF cardinality(seen) = 0 THEN
    RETURN ARRAY[selects, inserts, 0, 0, 0, 0, slept];
  END IF;
  new_order := nextval('soe.orders_seq');
  INSERT INTO soe.orders (order_id, order_date, customer_id, warehouse_id, delivery_type,
      cost_of_delivery, wait_till_all_available, order_status, delivery_address_id, customer_class,
      card_id, invoice_address_id)
    VALUES (new_order, now() AT TIME ZONE 'utc', cust, soe.duet_between(1, warehouses), 'Standard',
      soe.duet_between(1, 5), 'ship_asap', 1, buyer.preferred_address, buyer.customer_class,
      buyer.preferred_card, buyer.preferred_address);
  inserts := inserts + 1;
  slept := slept + soe.duet_think(min_sleep, max_sleep);
  FOR at IN SELECT number FROM generate_series(1, cardinality(seen)) AS number
      ORDER BY random() LIMIT soe.duet_between(2, 6) LOOP
    place := soe.duet_between(1, warehouses);
    SELECT quantity_on_hand INTO stocked FROM soe.inventories
      WHERE product_id = seen[at] AND warehouse_id = place;
    selects := selects + 1;
    IF stocked > 0 THEN
      line := line + 1;
      INSERT INTO soe.order_items (order_id, line_item_id, product_id, unit_price, quantity,
          gift_wrap, condition, estimated_delivery)
        VALUES (new_order, line, seen[at], prices[at], 1, 'None', 'New',
          (now() AT TIME ZONE 'utc')::date + 3);
      total := total + prices[at];
      sold := sold || seen[at];
      sold_from := sold_from || place;
    END IF;
    slept := slept + soe.duet_think(min_sleep, max_sleep);
  END LOOP;
  inserts := inserts + line;
  UPDATE soe.orders SET order_mode = 'online', order_status = soe.duet_between(0, 4),
    order_total = total WHERE order_id = new_order;
  -- In one order for all, so that no two wait for each other.
  FOR pair IN SELECT product, warehouse FROM unnest(sold, sold_from) AS s (product, warehouse)
      ORDER BY product, warehouse LOOP
    UPDATE soe.inventories SET quantity_on_hand = quantity_on_hand - 1
      WHERE product_id = pair.product AND warehouse_id = pair.warehouse;
  END LOOP;
  RETURN ARRAY[selects, inserts, 1 + line, 0, 0, 0, slept];
END $f$;

CREATE OR REPLACE FUNCTION soe.processorders(
  warehouse integer, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  open_order record;
  slept integer;
BEGIN
  SELECT o.order_id, o.order_date, o.order_mode, o.order_status, o.order_total, o.sales_rep_id,
      o.promotion_id, c.cust_first_name, c.cust_last_name, c.credit_limit, c.cust_email,
      i.line_item_id, i.product_id, i.unit_price, i.quantity INTO open_order
    FROM (SELECT * FROM soe.orders WHERE warehouse_id = warehouse AND order_status <= 4 LIMIT 9) o
    JOIN soe.customers c ON c.customer_id = o.customer_id
    LEFT JOIN soe.order_items i ON i.order_id = o.order_id LIMIT 1;
  slept := soe.duet_think(min_sleep, max_sleep);
  IF open_order.order_id IS NULL THEN
    RETURN ARRAY[1, 0, 0, 0, 0, 0, slept];
  END IF;
  UPDATE soe.orders SET order_status = soe.duet_between(5, 10)
    WHERE order_id = open_order.order_id;
  RETURN ARRAY[1, 0, 1, 0, 0, 0, slept];
END $f$;

CREATE OR REPLACE FUNCTION soe.browseandupdateorders(
  cust bigint, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  inserts integer := soe.duet_logon(cust);
  slept integer;
  made bigint[];
  chosen bigint;
  item record;
BEGIN
  PERFORM * FROM soe.customers WHERE customer_id = cust LIMIT 14;
  PERFORM * FROM soe.addresses WHERE customer_id = cust LIMIT 14;
  SELECT array_agg(t.order_id) INTO made
    FROM (SELECT * FROM soe.orders WHERE customer_id = cust LIMIT 14) t;
  slept := soe.duet_think(min_sleep, max_sleep);
  IF coalesce(cardinality(made), 0) < 2 THEN
    RETURN ARRAY[4, inserts, 0, 0, 0, 0, slept];
  END IF;
  chosen := made[soe.duet_between(1, cardinality(made) + 1)];
  SELECT * INTO item FROM soe.order_items WHERE order_id = chosen LIMIT 1;
  IF item.order_id IS NULL THEN
    RETURN ARRAY[5, inserts, 0, 0, 0, 0, slept];
  END IF;
  UPDATE soe.order_items SET quantity = quantity + 1
    WHERE order_id = chosen AND line_item_id = item.line_item_id;
  UPDATE soe.orders SET order_total = order_total + item.unit_price WHERE order_id = chosen;
  RETURN ARRAY[5, inserts, 2, 0, 0, 0, slept];
END $f$;

CREATE OR REPLACE FUNCTION soe.salesrepsquery(
  representative integer, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM t.place, t.order_id, t.order_date, t.order_total, c.customer_id, c.cust_first_name,
      c.cust_last_name
    FROM (SELECT order_id, order_date, order_total, customer_id,
        rank() OVER (ORDER BY order_total DESC) AS place
      FROM soe.orders WHERE sales_rep_id = representative) t
    JOIN soe.customers c ON c.customer_id = t.customer_id
    WHERE t.place <= 10 ORDER BY t.place;
  RETURN ARRAY[1, 0, 0, 0, 0, 0, soe.duet_think(min_sleep, max_sleep)];
END $f$;

CREATE OR REPLACE FUNCTION soe.warehouseordersquery(
  warehouse integer, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM o.order_mode, w.warehouse_id, sum(o.order_total), count(*)
    FROM soe.orders o JOIN soe.warehouses w ON w.warehouse_id = o.warehouse_id
    WHERE w.warehouse_id = warehouse GROUP BY CUBE (o.order_mode, w.warehouse_id);
  RETURN ARRAY[1, 0, 0, 0, 0, 0, soe.duet_think(min_sleep, max_sleep)];
END $f$;

CREATE OR REPLACE FUNCTION soe.warehouseactivityquery(
  warehouse integer, min_sleep integer, max_sleep integer) RETURNS integer[]
LANGUAGE plpgsql AS $f$
DECLARE
  clock timestamp := now() AT TIME ZONE 'utc';
BEGIN
  PERFORM p.until, sum(o.order_total), count(*)
    FROM (SELECT clock - (number + 1) * interval '5 minutes' AS since,
        clock - number * interval '5 minutes' AS until
      FROM generate_series(0, 11) AS number) p
    JOIN soe.orders o ON o.order_date > p.since AND o.order_date <= p.until
    WHERE o.warehouse_id = warehouse GROUP BY p.until ORDER BY p.until;
  RETURN ARRAY[1, 0, 0, 0, 0, 0, soe.duet_think(min_sleep, max_sleep)];
END $f$;
