-- description = "The next numbers of the pieces of a title"
-- path = "/titles/{id}/sequence-numbers"
-- writes = true
-- result = "document"
-- [columns]
-- numbers = "json"
-- [parameters]
-- id = { type = "uuid" }
-- sequenceNumbers = { type = "integer", minimum = 0, maximum = 10000, default = 1 }
-- [answers.not_found]
-- status = 404
-- type = "text/plain"
-- body = "There is no title {id}."
UPDATE {schema}.titles
SET jsonb = json_set(jsonb, '$.nextSequenceNumber', coalesce(jsonb ->> 'nextSequenceNumber', 1) + :sequenceNumbers)
WHERE id = :id
RETURNING json_object('sequenceNumbers', json((WITH RECURSIVE steps (i) AS (SELECT 1 WHERE :sequenceNumbers > 0
     UNION ALL SELECT i + 1 FROM steps WHERE i < :sequenceNumbers)
     SELECT json_group_array(CAST((jsonb ->> 'nextSequenceNumber') - :sequenceNumbers + i - 1 AS TEXT)) FROM steps))) AS numbers
