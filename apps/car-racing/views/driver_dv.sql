-- A driver with the team (merged into the document) and the results so far. The team's row is
-- read-only here; giving another teamId moves the driver.
CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW driver_dv AS
  SELECT JSON { '_id'    : d.driver_id,
                'name'   : d.name,
                'points' : d.points,
                UNNEST
                  ( SELECT JSON { 'teamId' : t.team_id,
                                  'team'   : t.name WITH NOCHECK }
                      FROM team t WITH NOINSERT NOUPDATE NODELETE
                      WHERE t.team_id = d.team_id ),
                'race'   :
                  [ SELECT JSON { 'driverRaceMapId' : drm.driver_race_map_id,
                                  UNNEST
                                    ( SELECT JSON { 'raceId' : r.race_id,
                                                    'name'   : r.name }
                                        FROM race r WITH NOINSERT NOUPDATE NODELETE
                                        WHERE r.race_id = drm.race_id ),
                                  'finalPosition'   : drm.position }
                      FROM driver_race_map drm WITH INSERT UPDATE NODELETE
                      WHERE drm.driver_id = d.driver_id ] }
    FROM driver d WITH INSERT UPDATE DELETE;
