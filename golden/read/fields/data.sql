INSERT INTO driver_race_map (driver_race_map_id, race_id, driver_id, position) VALUES (3, 201, 103, 1), (4, 201, 104, 2);
