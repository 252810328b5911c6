CREATE JSON RELATIONAL DUALITY VIEW tags_dv AS
  SELECT JSON { '_id'   : t.thing_id,
                'words' : [ SELECT g.word FROM tag g WHERE g.thing_id = t.thing_id ],
                'name'  : t.name }
    FROM thing t;
