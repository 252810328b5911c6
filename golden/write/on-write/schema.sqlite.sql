CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, grams INTEGER DEFAULT 100, kg NUMERIC(12,3), label TEXT, name TEXT, lines_n INTEGER, secret TEXT, more JSON, city TEXT);
CREATE TABLE stop (stop_id INTEGER PRIMARY KEY, parcel_id INTEGER NOT NULL REFERENCES parcel (parcel_id), town TEXT, code TEXT);
