CREATE TABLE parcel (parcel_id integer PRIMARY KEY, grams integer DEFAULT 100, kg numeric(12,3), label text, name text, lines_n integer, secret text, more json, city text);
CREATE TABLE stop (stop_id integer PRIMARY KEY, parcel_id integer NOT NULL REFERENCES parcel (parcel_id), town text, code text);
