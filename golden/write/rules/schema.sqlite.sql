CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, grams INTEGER, name TEXT, state TEXT DEFAULT 'new', more JSON);
CREATE TABLE stop (stop_id INTEGER PRIMARY KEY, parcel_id INTEGER NOT NULL REFERENCES parcel (parcel_id), town TEXT);
