INSERT INTO by_text VALUES ('plain', 1), ('a,b', 2), ('é/ü', 3), ('50%', 4), ('two words', 5), ('o''clock', 6), ('~', 7), ('a+b', 8),
  ('?q={}&x#y', 9), ('"', 10), ('back\slash', 11), ('Plain', 12), ('~tilde', 13);
INSERT INTO by_uuid VALUES ('6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab', 1), ('00000000-0000-0000-0000-000000000001', 2);
INSERT INTO by_date VALUES ('2022-03-20', 1), ('2022-03-27', 2);
INSERT INTO by_stamp VALUES ('2022-03-20 00:00:00', 1), ('2022-03-20T00:00:00.5', 2);
INSERT INTO by_moment VALUES ('2022-03-20 00:00:00+02:00', 1), ('2022-03-20T00:00:00.5Z', 2);
INSERT INTO by_decimal VALUES (5, 1), (0.1, 2), (-12345.67, 3);
INSERT INTO by_float VALUES (0.1, 1), (1e300, 2), (-2, 3);
INSERT INTO by_flag VALUES (TRUE, 1), (FALSE, 2);
INSERT INTO by_four VALUES (1, 'x', '2022-03-20', '6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab', 1),
  (1, 'x,y', '2022-03-20', '6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab', 2), (2, 'x', '2022-03-20', '6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab', 3);
INSERT INTO by_unique VALUES (1, NULL, 10), (2, 5, 20);
INSERT INTO by_nothing VALUES (1, NULL, 'b'), (2, 5, 'a'), (3, NULL, NULL);
