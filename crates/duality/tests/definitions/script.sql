-- A script as SQL*Plus runs it.
/* The views are among what makes their tables; */
SET ECHO ON
SET LINESIZE 80
WHENEVER SQLERROR EXIT FAILURE

prompt ** It's the school's script **
DROP TABLE IF EXISTS student;
CREATE TABLE student (stuid NUMBER PRIMARY KEY, -- the key; of all
  name VARCHAR2(128) DEFAULT 'a;b',
  noinsert VARCHAR2(9));
CREATE TABLE class
  (clsid NUMBER PRIMARY KEY, name VARCHAR2(128) DEFAULT q'[it's; so]')
/

CREATE OR REPLACE TRIGGER student_name
  BEFORE INSERT ON student
  FOR EACH ROW
BEGIN
  IF :new.name IS NULL THEN
    :new.name := 'CREATE JSON DUALITY VIEW';
  END IF;
END;
/

PROMPT Views
/*
CREATE JSON DUALITY VIEW old_dv AS nothing { id };
*/
CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW student_dv AS
  SELECT JSON {'_id'    : s.stuid,
               'name'   : s.name,
               'class'  :
                 [ SELECT JSON {'scid' : sc.scid,
                                UNNEST
                                  (SELECT JSON {'clsid' : c.clsid}
                                     FROM class c WITH NOINSERT NOUPDATE NODELETE
                                     WHERE c.clsid = sc.clsid)}
                     FROM student_class sc WITH INSERT UPDATE DELETE
                     WHERE sc.stuid = s.stuid ]} FROM student s WITH INSERT UPDATE DELETE;
INSERT INTO student_dv VALUES ('{"_id" : 1,
                                 "name" : "Ann; Bo"}');
DECLARE
  n NUMBER;
BEGIN
  SELECT COUNT(*) INTO n FROM student;
END;
/

create json relational duality view class_dv as
  class @insert @update {
    _id: clsid   # the key; of all
    name
  }

GRANT SELECT ON class_dv TO reader;

CREATE JSON DUALITY VIEW teacher_dv AS
  teacher { _id: tid  name: name }
/

COLUMN name FORMAT a20
SELECT json_serialize(data PRETTY)
  FROM class_dv
  WHERE json_value(data, '$._id') = 1;
COMMIT;
EXIT
