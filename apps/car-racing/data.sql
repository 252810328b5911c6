-- The season before the first result, for both stores.

INSERT INTO team (team_id, name, points) VALUES
  (2,   'Mercedes', 0),
  (301, 'Red Bull', 0),
  (302, 'Ferrari',  0);

INSERT INTO driver (driver_id, name, points, team_id) VALUES
  (101, 'Max Verstappen',  0, 301),
  (102, 'Sergio Perez',    0, 301),
  (103, 'Charles Leclerc', 0, 302),
  (104, 'Carlos Sainz Jr', 0, 302),
  (105, 'George Russell',  0, 2),
  (106, 'Lewis Hamilton',  0, 2);

INSERT INTO race (race_id, name, laps, race_date, podium) VALUES
  (201, 'Bahrain Grand Prix',       57, '2022-03-20T00:00:00', '{}'),
  (202, 'Saudi Arabian Grand Prix', 50, '2022-03-27T00:00:00', '{}'),
  (203, 'Australian Grand Prix',    58, '2022-04-09T00:00:00', '{}');
