-- Seven more teams with two drivers each, for load tests; for both stores.
-- (u): completed from the line-up of 2024, unverified.

INSERT INTO team (team_id, name, points) VALUES
  (303, 'McLaren',      0),
  (304, 'Aston Martin', 0),
  (305, 'RB',           0),
  (306, 'Haas',         0),
  (307, 'Williams',     0),
  (308, 'Alpine',       0),   -- (u)
  (309, 'Sauber',       0);   -- (u)

INSERT INTO driver (driver_id, name, points, team_id) VALUES
  (107, 'Lando Norris',     0, 303),
  (108, 'Oscar Piastri',    0, 303),
  (109, 'Fernando Alonso',  0, 304),
  (110, 'Lance Stroll',     0, 304),
  (111, 'Yuki Tsunoda',     0, 305),
  (112, 'Daniel Ricciardo', 0, 305),
  (113, 'Nico Hulkenberg',  0, 306),
  (114, 'Kevin Magnussen',  0, 306),
  (115, 'Alexander Albon',  0, 307),
  (116, 'Logan Sargeant',   0, 307),   -- (u)
  (117, 'Pierre Gasly',     0, 308),   -- (u)
  (118, 'Esteban Ocon',     0, 308),   -- (u)
  (119, 'Valtteri Bottas',  0, 309),   -- (u)
  (120, 'Zhou Guanyu',      0, 309);   -- (u)
