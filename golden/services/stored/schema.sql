CREATE TABLE sale (id varchar(20) NOT NULL PRIMARY KEY, account varchar(20) NOT NULL, amount integer NOT NULL CHECK (amount >= 0), note varchar(40));
INSERT INTO sale VALUES ('s1', 'ann', 10, NULL), ('s2', 'bob', 20, 'gift'), ('s3', 'ann', 30, NULL);
