CREATE TABLE booking (id integer PRIMARY KEY, nights int4range NOT NULL, EXCLUDE USING gist (nights WITH &&));
INSERT INTO booking VALUES (1, '[1,5)');
CREATE TABLE numbered (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
