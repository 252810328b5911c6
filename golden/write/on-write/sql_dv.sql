CREATE JSON DUALITY VIEW sql_dv AS
  SELECT JSON { '_id' : p.parcel_id, 'grams' : p.grams, 'name' : p.name,
                'kilos' : p.kg GENERATED USING (PATH '$.grams / 1000') WITH NOUPDATE,
                'label' : p.label GENERATED IF MISSING USING (PATH '$.name.upper()') }
    FROM parcel p WITH INSERT UPDATE;
