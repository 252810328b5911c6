INSERT INTO "Order" VALUES (1, 'x', 2, 3, 4, 5);
INSERT INTO "a b" VALUES (1, 2);
INSERT INTO "tab""le; DROP TABLE x; --" VALUES (1, 2);
INSERT INTO "Straße/Weg" VALUES (1);
INSERT INTO search VALUES (1);
INSERT INTO "_" VALUES (1);
INSERT INTO person VALUES (1, 'Ann', 'hush', 'l', 'i');
INSERT INTO "dot.ted" VALUES (1, 10, '{"price": 20}', 30, 40), (2, 5, '{"price": 10}', 30, 41);
INSERT INTO holder VALUES (1, 2);
