CREATE TABLE by_char (code CHAR(3) PRIMARY KEY, n INTEGER);
INSERT INTO by_char VALUES ('abc', 1), ('x y', 2);
