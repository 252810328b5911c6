CREATE JSON RELATIONAL DUALITY VIEW parcel_dv AS
  SELECT JSON { '_id' : p.parcel_id, 'grams' : p.grams, 'name' : p.name, 'state' : p.state, p.more AS FLEX,
                'stops' : [ SELECT JSON { 'id' : s.stop_id, 'town' : s.town } FROM stop s WITH INSERT UPDATE DELETE
                              WHERE s.parcel_id = p.parcel_id ] }
    FROM parcel p WITH INSERT UPDATE DELETE;
CREATE DIRECTIVE parcel_weight FOR parcel_dv VALIDATE ON INSERT UPDATE BEFORE OBJECT NOVALIDATE ENABLE
  USING (json_value(new.data, '$.grams') > 0 AND json_value(new.data, '$.grams' RETURNING NUMBER) BETWEEN 1 AND 20000);
CREATE OR REPLACE DIRECTIVE parcel_stops FOR hr.parcel_dv VALIDATE ON INSERT AFTER OBJECT
  USING (json_exists(new.data, '$.stops[0]') AND json_value(new.data, '$.state') IN ('new', 'sent'));
CREATE DIRECTIVE parcel_grows FOR parcel_dv VALIDATE ON UPDATE AFTER OBJECT
  USING (json_value(new.data, '$.grams' RETURNING NUMBER) >= json_value(old.data, '$.grams' RETURNING NUMBER)
         OR json_value(new.data, '$.force') = TRUE);
