-- More of the same, for PostgreSQL: {scale} × 10 teams with two drivers each, and a tenth of
-- {scale} races with twenty results each. Keys fill the gaps from 1 on, so that from scale 31 on
-- the keys of teams are 1 to {scale} × 10. The same every time, and the same rows as on SQLite.

INSERT INTO team (team_id, name, points)
  SELECT i, 'Team ' || i, 0 FROM generate_series(1, {scale} * 10 + 400) AS number(i)
  WHERE NOT EXISTS (SELECT 1 FROM team WHERE team_id = i)
  ORDER BY i LIMIT {scale} * 10 - 10;

INSERT INTO driver (driver_id, name, points, team_id)
  SELECT d.i, 'Driver ' || d.i, 0, t.team_id
  FROM (SELECT i, row_number() OVER (ORDER BY i) AS k
        FROM generate_series(1, {scale} * 20 + 400) AS number(i)
        WHERE NOT EXISTS (SELECT 1 FROM driver WHERE driver_id = i)
        ORDER BY i LIMIT {scale} * 20 - 20) AS d
  JOIN (SELECT team_id, row_number() OVER (ORDER BY team_id) AS k FROM team
        WHERE NOT EXISTS (SELECT 1 FROM driver WHERE driver.team_id = team.team_id)) AS t
    ON t.k = (d.k + 1) / 2
  ORDER BY d.i;

CREATE TEMP TABLE new_race ON COMMIT DROP AS
  SELECT row_number() OVER (ORDER BY i) AS k, i AS race_id
  FROM generate_series(1, {scale} + 400) AS number(i)
  WHERE NOT EXISTS (SELECT 1 FROM race WHERE race_id = i)
  ORDER BY i LIMIT {scale} / 10;

INSERT INTO race (race_id, name, laps, race_date, podium)
  SELECT race_id, 'Race ' || race_id, 44 + k % 29,
         timestamp '2022-04-24' + k * interval '1 day', '{}'
  FROM new_race ORDER BY k;

INSERT INTO driver_race_map (driver_race_map_id, race_id, driver_id, position)
  SELECT (r.k - 1) * 20 + p.i, r.race_id, d.driver_id, p.i
  FROM new_race AS r
  CROSS JOIN generate_series(1, 20) AS p(i)
  JOIN (SELECT row_number() OVER (ORDER BY driver_id) - 1 AS k, driver_id FROM driver) AS d
    ON d.k = (r.k * 20 + p.i) % ({scale} * 20)
  ORDER BY 1;

-- The next key that is made by itself comes after those that are there.
SELECT setval(pg_get_serial_sequence('team', 'team_id'),
              (SELECT greatest(1000, max(team_id) + 1) FROM team), false);
SELECT setval(pg_get_serial_sequence('driver', 'driver_id'),
              (SELECT greatest(1000, max(driver_id) + 1) FROM driver), false);
SELECT setval(pg_get_serial_sequence('race', 'race_id'),
              (SELECT greatest(1000, max(race_id) + 1) FROM race), false);
SELECT setval(pg_get_serial_sequence('driver_race_map', 'driver_race_map_id'),
              (SELECT greatest(1000, max(driver_race_map_id) + 1) FROM driver_race_map), false);
