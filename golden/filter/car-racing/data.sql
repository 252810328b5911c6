INSERT INTO driver_race_map (driver_race_map_id, race_id, driver_id, position) VALUES (3, 201, 103, 1), (4, 201, 104, 2), (9, 201, 106, 3), (10, 201, 105, NULL), (11, 202, 101, 1);
UPDATE driver SET team_id = NULL WHERE driver_id = 102;
