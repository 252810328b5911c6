INSERT INTO team VALUES (1, 'Red', 10), (2, 'Blue', 5);
INSERT INTO driver VALUES (11, 'Ann', 7, 1), (12, 'Ben', 3, 1), (21, 'Cid', 5, 2);
INSERT INTO note VALUES (11, 1, 'fast'), (11, 2, 'calm');
INSERT INTO house VALUES (1, 'Old'), (2, 'New');
INSERT INTO room VALUES (10, 1), (20, 2);
INSERT INTO chair VALUES (100, 10);
INSERT INTO total VALUES (1, 0);
INSERT INTO many SELECT a.id * 100 + b.id, 0 FROM (SELECT 1 AS id UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6) a, driver b, (SELECT 1 AS one) c;
