CREATE TABLE parcel (parcel_id integer PRIMARY KEY, grams integer, name text, state text DEFAULT 'new', more json);
CREATE TABLE stop (stop_id integer PRIMARY KEY, parcel_id integer NOT NULL REFERENCES parcel (parcel_id), town text);
