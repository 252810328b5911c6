\set n random(1000, 100000)
\set p random(1, 1000000)
SELECT 1;
