CREATE TABLE "Star Ship" ("shipId" integer PRIMARY KEY, "Name" text, lower text);
CREATE TABLE "crewMember" (id integer PRIMARY KEY, "shipId" integer REFERENCES "Star Ship" ("shipId"));
CREATE TABLE "crewmember" (id integer PRIMARY KEY);
INSERT INTO "Star Ship" VALUES (1, 'A', 'a'), (2, 'B', 'b');
INSERT INTO "crewMember" VALUES (10, 1);
CREATE FUNCTION "callIt"("fullName" text, "SSN" text) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT json_build_object('a', "fullName", 'b', "SSN") $$;
CREATE FUNCTION pair(OUT "First" integer, OUT second integer) LANGUAGE sql IMMUTABLE AS $$ SELECT 1, 2 $$;
