CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
  SELECT JSON { '_id': t.id, 'name': t.name, 'points': t.points,
                'driver': [ SELECT JSON { 'id': d.id, 'name': d.name,
                                          'note': [ SELECT JSON { 'place': n.place, 'text': n.text }
                                                      FROM note n WITH INSERT UPDATE DELETE WHERE n.driver_id = d.id ] }
                              FROM driver d WITH INSERT UPDATE WHERE d.team_id = t.id ] }
    FROM team t WITH INSERT UPDATE DELETE;
