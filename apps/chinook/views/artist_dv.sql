-- An artist with albums and their tracks.
CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW artist_dv AS
  SELECT JSON { '_id'    : ar.artist_id,
                'name'   : ar.name,
                'albums' :
                  [ SELECT JSON { 'albumId' : al.album_id,
                                  'title'   : al.title,
                                  'tracks'  :
                                    [ SELECT JSON { 'trackId'      : tr.track_id,
                                                    'name'         : tr.name,
                                                    'composer'     : tr.composer,
                                                    'milliseconds' : tr.milliseconds,
                                                    'unitPrice'    : tr.unit_price,
                                                    'genre'        :
                                                      ( SELECT JSON { 'genreId' : g.genre_id,
                                                                      'name'    : g.name }
                                                          FROM genre g
                                                          WHERE g.genre_id = tr.genre_id ) }
                                        FROM track tr WITH INSERT UPDATE DELETE
                                        WHERE tr.album_id = al.album_id ] }
                      FROM album al WITH INSERT UPDATE DELETE
                      WHERE al.artist_id = ar.artist_id ] }
    FROM artist ar WITH INSERT UPDATE DELETE;
