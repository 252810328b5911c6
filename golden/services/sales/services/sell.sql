-- # Two statements in one transaction.
-- method = "POST"
-- path = "/sell"
-- result = "row"
-- status = 201
-- location = "/sale/{id}"
-- [parameters]
-- id = { type = "text", min_length = 1, max_length = 20 }
-- account = { type = "text", enum = ["ann", "bob", "cem"] }
-- amount = { type = "integer", minimum = 0, maximum = 1_000 }
-- note = { type = "text", optional = true, max_length = 40 }
INSERT INTO sale (id, account, amount, note) VALUES (:id, :account, :amount, :note);
INSERT INTO entry (id, what) VALUES (:id, 'sold; ok');
SELECT id, account, amount, note FROM sale WHERE id = :id;
