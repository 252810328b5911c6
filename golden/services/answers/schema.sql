CREATE TABLE sale (id varchar(20) NOT NULL PRIMARY KEY, account varchar(20) NOT NULL, amount integer NOT NULL CHECK (amount <> 13), note varchar(40));
CREATE TABLE entry (id varchar(20) NOT NULL REFERENCES sale (id), what varchar(20) NOT NULL);
INSERT INTO sale VALUES ('s1', 'ann', 10, NULL), ('s2', 'bob', 20, 'gift "1"');
