-- A team with its drivers. Drivers may be added, moved here and changed, but not deleted: a driver
-- who leaves the array keeps existing without a team. Points of drivers are outside the etag,
-- because every race changes them.
CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id'    : t.team_id,
                'name'   : t.name,
                'points' : t.points,
                'driver' :
                  [ SELECT JSON { 'driverId' : d.driver_id,
                                  'name'     : d.name,
                                  'points'   : d.points WITH NOCHECK }
                      FROM driver d WITH INSERT UPDATE
                      WHERE d.team_id = t.team_id ] }
    FROM team t WITH INSERT UPDATE DELETE;
