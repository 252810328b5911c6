-- Of each object that is marked, values that are NULL are left out; those of objects inside have marks of their own.
CREATE JSON RELATIONAL DUALITY VIEW thing_dv AS
  SELECT JSON { '_id' : t.id, 'name' : t.name, 'amount' : t.amount, 'sold' : t.sold,
                'double' : GENERATED USING (t.amount * 2),
                'size' : { 'weight' : t.weight, 'note' : t.note },
                'more' : JSON { 'secret' : t.secret ABSENT ON NULL },
                'maker' : ( SELECT JSON { 'id' : m.id, 'name' : m.name, 'country' : m.country ABSENT ON NULL }
                              FROM maker m WITH INSERT UPDATE WHERE m.id = t.maker_id ),
                'tag' : [ SELECT JSON { 'id' : g.id, 'word' : g.word, 'place' : g.place NULL ON NULL }
                            FROM tag g WITH INSERT UPDATE DELETE WHERE g.thing_id = t.id ],
                t.extras AS FLEX
                ABSENT ON NULL }
    FROM thing t WITH INSERT UPDATE DELETE;
