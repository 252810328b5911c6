-- More of the same, for SQLite: {scale} × 10 teams with two drivers each, and a tenth of {scale}
-- races with twenty results each. Keys fill the gaps from 1 on, so that from scale 31 on the keys
-- of teams are 1 to {scale} × 10. The same every time.

CREATE TEMP TABLE number (i INTEGER PRIMARY KEY);
INSERT INTO number (i)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {scale} * 20 + 400)
  SELECT i FROM n;

INSERT INTO team (team_id, name, points)
  SELECT i, 'Team ' || i, 0 FROM number
  WHERE i NOT IN (SELECT team_id FROM team)
  ORDER BY i LIMIT {scale} * 10 - 10;

CREATE TEMP TABLE new_team (k INTEGER PRIMARY KEY, team_id INTEGER);
INSERT INTO new_team
  SELECT row_number() OVER (ORDER BY team_id), team_id FROM team
  WHERE NOT EXISTS (SELECT 1 FROM driver WHERE driver.team_id = team.team_id);

INSERT INTO driver (driver_id, name, points, team_id)
  SELECT d.i, 'Driver ' || d.i, 0, t.team_id
  FROM (SELECT i, row_number() OVER (ORDER BY i) AS k FROM number
        WHERE i NOT IN (SELECT driver_id FROM driver)
        ORDER BY i LIMIT {scale} * 20 - 20) AS d
  JOIN new_team AS t ON t.k = (d.k + 1) / 2
  ORDER BY d.i;

CREATE TEMP TABLE new_race (k INTEGER PRIMARY KEY, race_id INTEGER);
INSERT INTO new_race
  SELECT row_number() OVER (ORDER BY i), i FROM number
  WHERE i NOT IN (SELECT race_id FROM race)
  ORDER BY i LIMIT {scale} / 10;

INSERT INTO race (race_id, name, laps, race_date, podium)
  SELECT race_id, 'Race ' || race_id, 44 + k % 29,
         strftime('%Y-%m-%dT%H:%M:%S', '2022-04-24', '+' || k || ' days'), '{}'
  FROM new_race ORDER BY k;

CREATE TEMP TABLE ranked_driver (k INTEGER PRIMARY KEY, driver_id INTEGER);
INSERT INTO ranked_driver
  SELECT row_number() OVER (ORDER BY driver_id) - 1, driver_id FROM driver;

INSERT INTO driver_race_map (driver_race_map_id, race_id, driver_id, position)
  SELECT (r.k - 1) * 20 + p.i, r.race_id, d.driver_id, p.i
  FROM new_race AS r
  JOIN number AS p ON p.i <= 20
  JOIN ranked_driver AS d ON d.k = (r.k * 20 + p.i) % ({scale} * 20)
  ORDER BY 1;

DROP TABLE temp.number;
DROP TABLE temp.new_team;
DROP TABLE temp.new_race;
DROP TABLE temp.ranked_driver;
