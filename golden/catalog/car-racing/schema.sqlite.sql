-- The car-racing sample: tables, keys and the points trigger, for SQLite.

CREATE TABLE team (
  team_id  INTEGER      NOT NULL PRIMARY KEY,
  name     VARCHAR(255) NOT NULL UNIQUE,
  points   INTEGER      NOT NULL
);

CREATE TABLE driver (
  driver_id  INTEGER      NOT NULL PRIMARY KEY,
  name       VARCHAR(255) NOT NULL UNIQUE,
  points     INTEGER      NOT NULL,
  team_id    INTEGER,                                   -- nullable on purpose: unlink = NULL
  CONSTRAINT driver_fk FOREIGN KEY (team_id) REFERENCES team (team_id)
);

CREATE TABLE race (
  race_id    INTEGER      NOT NULL PRIMARY KEY,
  name       VARCHAR(255) NOT NULL UNIQUE,
  laps       INTEGER      NOT NULL,
  race_date  TIMESTAMP,
  podium     JSON
);

CREATE TABLE driver_race_map (
  driver_race_map_id  INTEGER NOT NULL PRIMARY KEY,
  race_id             INTEGER NOT NULL,
  driver_id           INTEGER NOT NULL,
  position            INTEGER,
  CONSTRAINT driver_race_map_uk  UNIQUE (race_id, driver_id),
  CONSTRAINT driver_race_map_fk1 FOREIGN KEY (race_id)   REFERENCES race (race_id),
  CONSTRAINT driver_race_map_fk2 FOREIGN KEY (driver_id) REFERENCES driver (driver_id)
);

-- The foreign-key indexes matter for nested reads and for unlink/cascade.
CREATE INDEX driver_team_ix            ON driver (team_id);
CREATE INDEX driver_race_map_driver_ix ON driver_race_map (driver_id);

-- Points for positions 1 to 10; any other position gives none. They go to the driver and to the
-- team the driver is in at that moment. Changing or deleting a result changes no points.
CREATE TRIGGER driver_race_map_points AFTER INSERT ON driver_race_map
BEGIN
  UPDATE driver SET points = points + CASE NEW.position WHEN 1 THEN 25 WHEN 2 THEN 18 WHEN 3 THEN 15
    WHEN 4 THEN 12 WHEN 5 THEN 10 WHEN 6 THEN 8 WHEN 7 THEN 6 WHEN 8 THEN 4 WHEN 9 THEN 2 WHEN 10 THEN 1 ELSE 0 END
   WHERE driver_id = NEW.driver_id;
  UPDATE team SET points = points + CASE NEW.position WHEN 1 THEN 25 WHEN 2 THEN 18 WHEN 3 THEN 15
    WHEN 4 THEN 12 WHEN 5 THEN 10 WHEN 6 THEN 8 WHEN 7 THEN 6 WHEN 8 THEN 4 WHEN 9 THEN 2 WHEN 10 THEN 1 ELSE 0 END
   WHERE team_id = (SELECT d.team_id FROM driver d WHERE d.driver_id = NEW.driver_id);
END;
