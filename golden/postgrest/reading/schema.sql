CREATE TABLE item (id bigint NOT NULL PRIMARY KEY, name varchar(40), price numeric(8, 2), sold boolean,
    made date, data json, "odd.name" varchar(10));
INSERT INTO item VALUES
    (1, 'Kayak', 120.50, true, '2024-01-31', '{"size": {"w": 3}, "tags": ["a", "b"], "note": "light"}', 'x'),
    (2, 'Paddle', 30.00, false, '2024-02-01', '{"size": {"w": 12}, "tags": []}', 'y'),
    (3, 'Vest, red', NULL, NULL, NULL, NULL, NULL),
    (4, 'vest "blue"', 55.25, true, '2023-12-24', '{"note": null}', 'x'),
    (5, NULL, 0.00, false, NULL, '{"tags": ["c"]}', NULL);
CREATE TABLE empty (id integer NOT NULL PRIMARY KEY);
