-- description = "The next numbers of the pieces of a title"
-- path = "/titles/{id}/sequence-numbers"
-- writes = true
-- result = "document"
-- [parameters]
-- id = { type = "uuid" }
-- sequenceNumbers = { type = "integer", minimum = 0, maximum = 10000, default = 1 }
-- [answers.not_found]
-- status = 404
-- type = "text/plain"
-- body = "There is no title {id}."
UPDATE {schema}.titles
SET jsonb = jsonb_set(jsonb, '{nextSequenceNumber}', to_jsonb(coalesce(CAST(jsonb ->> 'nextSequenceNumber' AS integer), 1) + :sequenceNumbers))
WHERE id = :id
RETURNING json_build_object('sequenceNumbers', coalesce((SELECT json_agg(CAST(CAST(jsonb ->> 'nextSequenceNumber' AS integer) - i AS text) ORDER BY i DESC)
    FROM generate_series(1, :sequenceNumbers) AS i), '[]')) AS numbers
