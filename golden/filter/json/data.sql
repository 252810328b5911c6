INSERT INTO doc VALUES
  (1, 'one', '{"winner":{"name":"Leclerc","points":25},"tags":["wet","night"],"x.y":1}', '{"color":"red","name":"hidden"}'),
  (2, 'two', '{"winner":{"name":"Verstappen","points":25.50},"tags":[],"laps":[{"ms":90},{"ms":"91"}]}', '{"color":null}'),
  (3, 'three', '{"winner":null,"tags":"wet"}', '{"color":7}'),
  (4, 'four', NULL, NULL);
INSERT INTO part VALUES (1, 1, '{"ok":true}'), (2, 1, '{"ok":false}'), (3, 2, '{"ok":"true"}'), (4, 3, NULL);
