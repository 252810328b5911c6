INSERT INTO types (id, flag, small, number, big, price, whole, ratio, single, double, code, name, words, uid,
                   day, clock, clock_tz, stamp, moment, span, doc, packed, mood, host) VALUES
  (1, TRUE, 1, 1, 1, 1, 1, 1, 1, 1, 'abc', 'plain', 'words', '6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab',
   '2022-03-20', '01:37:33', '01:37:33+02:00', '2022-03-20T00:00:00', '2022-03-20T00:00:00Z', 'P1DT8H',
   '{}', '[]', 'ok', '10.0.0.1'),
  -- The ends of what numbers can be, and of the years that JSON dates can show.
  (2, FALSE, -32768, -2147483648, -9223372036854775808, -9999999999.99, -9999999999, -0.000001, -0.5, -1e300,
   '  c', '', 'line
break	tab "quoted" back\slash', '00000000-0000-0000-0000-000000000000',
   '0001-01-01', '00:00:00', '00:00:00-03:30', '0001-01-01T00:00:00', '0001-01-01T00:00:00Z', 'PT0S',
   'null', 'null', 'sad', '::1'),
  (9007199254740993, TRUE, 32767, 2147483647, 9223372036854775807, 9999999999.99, 9999999999, 123456789012345, 0.1, 1e300,
   'é ü', 'Räikkönen 🏁 <b>&', 'nul is not text', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
   '9999-12-31', '23:59:59.999999', '23:59:59.5+14:00', '9999-12-31T23:59:59.999999', '9999-12-31T23:59:59.999999Z', 'P1Y2M3DT4H5M6.789S',
   '{"a": [1, 2.50, "x y"], "b": {"c": null}}', '{"a": [1, 2.50, "x y"], "b": {"c": true}}', 'happy', '2001:db8::/32'),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL),
  -- Fractions, zones, and other spellings of the same values.
  (5, FALSE, 0, 0, 0, 0.5, 0, 0.1, 3.25, 0.1, 'x', 'E''', 'é', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
   '2024-02-29', '12:00:00.5', '12:00:00Z', '2022-03-20 01:02:03.100', '2022-03-20 01:02:03.25+02:00', 'P-1DT-1.5S',
   '"text"', '1.5', NULL, NULL);
