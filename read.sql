\set n random(1000, 100000)
SELECT t0."team_id", t0."name", t0."points" FROM "public"."team" AS t0 WHERE t0."team_id" = :n;
