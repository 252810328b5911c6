-- A customer with invoices, their lines, and for each line the track, its album and artist.
-- Everything from the track on is read-only here.
CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW customer_dv AS
  SELECT JSON { '_id'       : c.customer_id,
                'firstName' : c.first_name,
                'lastName'  : c.last_name,
                'company'   : c.company,
                'address'   : JSON { 'street'     : c.address,
                                     'city'       : c.city,
                                     'state'      : c.state,
                                     'country'    : c.country,
                                     'postalCode' : c.postal_code },
                'email'     : c.email,
                'support'   :
                  ( SELECT JSON { 'employeeId' : e.employee_id,
                                  'firstName'  : e.first_name,
                                  'lastName'   : e.last_name }
                      FROM employee e
                      WHERE e.employee_id = c.support_rep_id ),
                'invoices'  :
                  [ SELECT JSON { 'invoiceId' : i.invoice_id,
                                  'date'      : i.invoice_date,
                                  'total'     : i.total,
                                  'lines'     :
                                    [ SELECT JSON { 'invoiceLineId' : il.invoice_line_id,
                                                    'unitPrice'     : il.unit_price,
                                                    'quantity'      : il.quantity,
                                                    'track'         :
                                                      ( SELECT JSON { 'trackId' : tr.track_id,
                                                                      'name'    : tr.name,
                                                                      'album'   :
                                                                        ( SELECT JSON { 'albumId' : al.album_id,
                                                                                        'title'   : al.title,
                                                                                        'artist'  :
                                                                                          ( SELECT JSON { 'artistId' : ar.artist_id,
                                                                                                          'name'     : ar.name }
                                                                                              FROM artist ar
                                                                                              WHERE ar.artist_id = al.artist_id ) }
                                                                            FROM album al
                                                                            WHERE al.album_id = tr.album_id ) }
                                                          FROM track tr
                                                          WHERE tr.track_id = il.track_id ) }
                                        FROM invoice_line il WITH INSERT UPDATE DELETE
                                        WHERE il.invoice_id = i.invoice_id ] }
                      FROM invoice i WITH INSERT UPDATE DELETE
                      WHERE i.customer_id = c.customer_id ] }
    FROM customer c WITH INSERT UPDATE DELETE;
