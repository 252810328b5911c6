CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, budget numeric(7,-2));
CREATE TABLE fee (fee_id integer NOT NULL PRIMARY KEY, amount NUMERIC(5,2), whole Decimal(3), small DEC(2,5),
  free numeric, team_id integer REFERENCES team (team_id));
INSERT INTO team VALUES (1, 100);
INSERT INTO fee VALUES (1, 1.5, 1, 0.00001, 1.5, 1);
