-- method = "POST"
-- result = "row"
-- status = 201
-- location = "/sale/{sold}"
-- [columns]
-- number_of = "integer"
-- sold = "text"
-- [parameters]
-- id = { type = "text", min_length = 1, max_length = 20 }
-- account = { type = "text", enum = ["ann", "bob", "cem"] }
-- amount = { type = "integer", maximum = 1_000 }
--
-- [answers.duplicate]
-- status = 200
-- headers = { X-Answer = "{id}" }
-- body = { sold = false, reason = "{error.code}" }
INSERT INTO sale VALUES (:id, :account, :amount, 'no note');
SELECT :id AS sold, count(*) AS number_of FROM sale
