CREATE TABLE brand (brand_id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL UNIQUE);
CREATE TABLE item (
  item_id integer NOT NULL PRIMARY KEY,
  name varchar(20) NOT NULL UNIQUE,
  price numeric(10,2) CONSTRAINT item_price CHECK (price >= 0),
  made date,
  seen timestamp,
  moment timestamp with time zone,
  brand_id integer REFERENCES brand (brand_id)
);
INSERT INTO brand VALUES (1, 'Acme'), (2, 'Globex');
INSERT INTO item VALUES (1, 'bolt', 800.00, '2022-03-20', '2022-03-20 01:02:03', '2022-03-20 01:02:03+00:00', 1),
  (2, 'nut', 0.50, NULL, NULL, NULL, 2);
