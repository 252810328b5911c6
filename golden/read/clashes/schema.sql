CREATE TABLE item (id int PRIMARY KEY, "Name" text, name text, "NAME" text);
CREATE TABLE "Item" (id int PRIMARY KEY);
INSERT INTO item VALUES (1, 'a', 'b', 'c');
INSERT INTO "Item" VALUES (2);
CREATE SCHEMA other; CREATE TABLE other.item (id int PRIMARY KEY); CREATE TABLE other.elsewhere (id int PRIMARY KEY);
