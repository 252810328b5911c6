-- GET /t/deep_dv/
-- level 0: a
SELECT t0."id", t0."n", NULL
  FROM "main"."a" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: b
--   1: part 1 of the keys that level 0 has brought
SELECT t1."a_id", t1."id", t1."n"
  FROM "main"."b" AS t1
  WHERE t1."a_id" = ?1
  ORDER BY t1."id";

-- level 2: c
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t2."id", t2."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t2."id";

-- level 3: d
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t2."id", t3."id", t3."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 4: e
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t4."id", t4."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- level 5: f
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- GET /t/deep_dv/1
-- level 0: a
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."n", NULL
  FROM "main"."a" AS t0
  WHERE t0."id" = ?1;

-- level 1: b
--   1: 1 (part 1 of the key)
SELECT t1."a_id", t1."id", t1."n"
  FROM "main"."b" AS t1
  WHERE t1."a_id" = ?1
  ORDER BY t1."id";

-- level 2: c
--   1: 1 (part 1 of the key)
SELECT t0."id", t1."id", t2."id", t2."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t2."id";

-- level 3: d
--   1: 1 (part 1 of the key)
SELECT t0."id", t2."id", t3."id", t3."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 4: e
--   1: 1 (part 1 of the key)
SELECT t0."id", t3."id", t4."id", t4."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- level 5: f
--   1: 1 (part 1 of the key)
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- GET /t/deep_dv/3
-- level 0: a
--   1: 3 (part 1 of the key)
SELECT t0."id", t0."n", NULL
  FROM "main"."a" AS t0
  WHERE t0."id" = ?1;

-- level 1: b
--   1: 3 (part 1 of the key)
SELECT t1."a_id", t1."id", t1."n"
  FROM "main"."b" AS t1
  WHERE t1."a_id" = ?1
  ORDER BY t1."id";

-- level 2: c
--   1: 3 (part 1 of the key)
SELECT t0."id", t1."id", t2."id", t2."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t2."id";

-- level 3: d
--   1: 3 (part 1 of the key)
SELECT t0."id", t2."id", t3."id", t3."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 4: e
--   1: 3 (part 1 of the key)
SELECT t0."id", t3."id", t4."id", t4."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- level 5: f
--   1: 3 (part 1 of the key)
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- GET /t/deep_dv/?q={"b.c.d.e.f.n":"f7"}
-- level 0: a
--   1: "f7"
--   2: 26
SELECT t0."id", t0."n", NULL
  FROM "main"."a" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."b" AS t1
    JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
    JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
    JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
    JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
    WHERE t1."a_id" = t0."id" AND t5."n" = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- level 1: b
--   1: part 1 of the keys that level 0 has brought
SELECT t1."a_id", t1."id", t1."n"
  FROM "main"."b" AS t1
  WHERE t1."a_id" = ?1
  ORDER BY t1."id";

-- level 2: c
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t2."id", t2."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t2."id";

-- level 3: d
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t2."id", t3."id", t3."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 4: e
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t4."id", t4."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- level 5: f
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- GET /t/deep_dv/?q={"b.c.d.e.f.id":{"$gte":6},"b.n":"b11"}
-- level 0: a
--   1: 6
--   2: "b11"
--   3: 26
SELECT t0."id", t0."n", NULL
  FROM "main"."a" AS t0
  WHERE (EXISTS (SELECT 1
      FROM "main"."b" AS t1
      JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
      JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
      JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
      JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
      WHERE t1."a_id" = t0."id" AND t5."id" >= ?1) AND EXISTS (SELECT 1
      FROM "main"."b" AS t1
      WHERE t1."a_id" = t0."id" AND t1."n" = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- level 1: b
--   1: part 1 of the keys that level 0 has brought
SELECT t1."a_id", t1."id", t1."n"
  FROM "main"."b" AS t1
  WHERE t1."a_id" = ?1
  ORDER BY t1."id";

-- level 2: c
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t1."id", t2."id", t2."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t2."id";

-- level 3: d
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t2."id", t3."id", t3."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 4: e
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t4."id", t4."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- level 5: f
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- GET /t/deep_dv/1?fields=b.c.d.e.f.n
-- level 0: a
--   1: 1 (part 1 of the key)
SELECT t0."id"
  FROM "main"."a" AS t0
  WHERE t0."id" = ?1;

-- level 1: b
--   1: 1 (part 1 of the key)
SELECT t1."a_id", t1."id"
  FROM "main"."b" AS t1
  WHERE t1."a_id" = ?1
  ORDER BY t1."id";

-- level 2: c
--   1: 1 (part 1 of the key)
SELECT t0."id", t1."id", t2."id"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t2."id";

-- level 3: d
--   1: 1 (part 1 of the key)
SELECT t0."id", t2."id", t3."id"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 4: e
--   1: 1 (part 1 of the key)
SELECT t0."id", t3."id", t4."id"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- level 5: f
--   1: 1 (part 1 of the key)
SELECT t0."id", t4."id", t5."n"
  FROM "main"."a" AS t0
  JOIN "main"."b" AS t1 ON t1."a_id" = t0."id"
  JOIN "main"."c" AS t2 ON t2."b_id" = t1."id"
  JOIN "main"."d" AS t3 ON t3."c_id" = t2."id"
  JOIN "main"."e" AS t4 ON t4."d_id" = t3."id"
  JOIN "main"."f" AS t5 ON t5."e_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- GET /t/up_dv/
-- level 0: f
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", t3."id", t3."n", t4."id", t4."n", t5."id", t5."n", NULL
  FROM "main"."f" AS t0
  LEFT JOIN "main"."e" AS t1 ON t1."id" = t0."e_id"
  LEFT JOIN "main"."d" AS t2 ON t2."id" = t1."d_id"
  LEFT JOIN "main"."c" AS t3 ON t3."id" = t2."c_id"
  LEFT JOIN "main"."b" AS t4 ON t4."id" = t3."b_id"
  LEFT JOIN "main"."a" AS t5 ON t5."id" = t4."a_id"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/up_dv/7
-- level 0: f
--   1: 7 (part 1 of the key)
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", t3."id", t3."n", t4."id", t4."n", t5."id", t5."n", NULL
  FROM "main"."f" AS t0
  LEFT JOIN "main"."e" AS t1 ON t1."id" = t0."e_id"
  LEFT JOIN "main"."d" AS t2 ON t2."id" = t1."d_id"
  LEFT JOIN "main"."c" AS t3 ON t3."id" = t2."c_id"
  LEFT JOIN "main"."b" AS t4 ON t4."id" = t3."b_id"
  LEFT JOIN "main"."a" AS t5 ON t5."id" = t4."a_id"
  WHERE t0."id" = ?1;

-- GET /t/up_dv/?q={"e.d.c.b.a.n":"a1","$orderby":{"e.d.c.n":"DESC"}}
-- level 0: f
--   1: "a1"
--   2: 26
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", t3."id", t3."n", t4."id", t4."n", t5."id", t5."n", NULL
  FROM "main"."f" AS t0
  JOIN "main"."e" AS t1 ON t1."id" = t0."e_id"
  JOIN "main"."d" AS t2 ON t2."id" = t1."d_id"
  JOIN "main"."c" AS t3 ON t3."id" = t2."c_id"
  JOIN "main"."b" AS t4 ON t4."id" = t3."b_id"
  JOIN "main"."a" AS t5 ON t5."id" = t4."a_id"
  WHERE t5."n" = ?1
  ORDER BY t3."n" DESC NULLS LAST, t0."id"
  LIMIT ?2;

-- GET /t/up_dv/?q={"$orderby":{"e.d.c.b.a.n":"DESC","n":"ASC"}}&after=&limit=2
-- level 0: f
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", t3."id", t3."n", t4."id", t4."n", t5."id", t5."n", NULL
  FROM "main"."f" AS t0
  LEFT JOIN "main"."e" AS t1 ON t1."id" = t0."e_id"
  LEFT JOIN "main"."d" AS t2 ON t2."id" = t1."d_id"
  LEFT JOIN "main"."c" AS t3 ON t3."id" = t2."c_id"
  LEFT JOIN "main"."b" AS t4 ON t4."id" = t3."b_id"
  LEFT JOIN "main"."a" AS t5 ON t5."id" = t4."a_id"
  WHERE TRUE
  ORDER BY t5."n" DESC NULLS LAST, t0."n" NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: f
--   1: "a1"
--   2: "a1"
--   3: "f7"
--   4: "a1"
--   5: "f7"
--   6: 7
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", t3."id", t3."n", t4."id", t4."n", t5."id", t5."n", NULL
  FROM "main"."f" AS t0
  LEFT JOIN "main"."e" AS t1 ON t1."id" = t0."e_id"
  LEFT JOIN "main"."d" AS t2 ON t2."id" = t1."d_id"
  LEFT JOIN "main"."c" AS t3 ON t3."id" = t2."c_id"
  LEFT JOIN "main"."b" AS t4 ON t4."id" = t3."b_id"
  LEFT JOIN "main"."a" AS t5 ON t5."id" = t4."a_id"
  WHERE TRUE AND (((t5."n" < ?1 OR t5."n" IS NULL)) OR ((t5."n" = ?2) AND (t0."n" > ?3 OR t0."n" IS NULL)) OR ((t5."n" = ?4) AND (t0."n" = ?5) AND (t0."id" > ?6)))
  ORDER BY t5."n" DESC NULLS LAST, t0."n" NULLS LAST, t0."id"
  LIMIT 3;

-- GET /t/mixed_dv/
-- level 0: c
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", NULL
  FROM "main"."c" AS t0
  LEFT JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  LEFT JOIN "main"."a" AS t2 ON t2."id" = t1."a_id"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: c
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t3."n"
  FROM "main"."c" AS t0
  JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  JOIN "main"."c" AS t3 ON t3."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 2: d
--   1: part 1 of the keys that level 0 has brought
SELECT t4."c_id", t4."id", t4."n"
  FROM "main"."d" AS t4
  WHERE t4."c_id" = ?1
  ORDER BY t4."id";

-- level 3: e
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- level 4: f
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t5."id", t6."id"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  JOIN "main"."f" AS t6 ON t6."e_id" = t5."id"
  WHERE t0."id" = ?1
  ORDER BY t6."id";

-- GET /t/mixed_dv/101
-- level 0: c
--   1: 101 (part 1 of the key)
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", NULL
  FROM "main"."c" AS t0
  LEFT JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  LEFT JOIN "main"."a" AS t2 ON t2."id" = t1."a_id"
  WHERE t0."id" = ?1;

-- level 1: c
--   1: 101 (part 1 of the key)
SELECT t0."id", t3."id", t3."n"
  FROM "main"."c" AS t0
  JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  JOIN "main"."c" AS t3 ON t3."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 2: d
--   1: 101 (part 1 of the key)
SELECT t4."c_id", t4."id", t4."n"
  FROM "main"."d" AS t4
  WHERE t4."c_id" = ?1
  ORDER BY t4."id";

-- level 3: e
--   1: 101 (part 1 of the key)
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- level 4: f
--   1: 101 (part 1 of the key)
SELECT t0."id", t5."id", t6."id"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  JOIN "main"."f" AS t6 ON t6."e_id" = t5."id"
  WHERE t0."id" = ?1
  ORDER BY t6."id";

-- GET /t/mixed_dv/110
-- level 0: c
--   1: 110 (part 1 of the key)
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", NULL
  FROM "main"."c" AS t0
  LEFT JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  LEFT JOIN "main"."a" AS t2 ON t2."id" = t1."a_id"
  WHERE t0."id" = ?1;

-- level 1: c
--   1: 110 (part 1 of the key)
SELECT t0."id", t3."id", t3."n"
  FROM "main"."c" AS t0
  JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  JOIN "main"."c" AS t3 ON t3."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 2: d
--   1: 110 (part 1 of the key)
SELECT t4."c_id", t4."id", t4."n"
  FROM "main"."d" AS t4
  WHERE t4."c_id" = ?1
  ORDER BY t4."id";

-- level 3: e
--   1: 110 (part 1 of the key)
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- level 4: f
--   1: 110 (part 1 of the key)
SELECT t0."id", t5."id", t6."id"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  JOIN "main"."f" AS t6 ON t6."e_id" = t5."id"
  WHERE t0."id" = ?1
  ORDER BY t6."id";

-- GET /t/mixed_dv/?q={"b.siblings.n":"c101","d.e.f.id":7}
-- level 0: c
--   1: "c101"
--   2: 7
--   3: 26
SELECT t0."id", t0."n", t1."id", t1."n", t2."id", t2."n", NULL
  FROM "main"."c" AS t0
  LEFT JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  LEFT JOIN "main"."a" AS t2 ON t2."id" = t1."a_id"
  WHERE (EXISTS (SELECT 1
      FROM "main"."c" AS t3
      WHERE t3."b_id" = t1."id" AND t3."n" = ?1) AND EXISTS (SELECT 1
      FROM "main"."d" AS t4
      JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
      JOIN "main"."f" AS t6 ON t6."e_id" = t5."id"
      WHERE t4."c_id" = t0."id" AND t6."id" = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- level 1: c
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t3."n"
  FROM "main"."c" AS t0
  JOIN "main"."b" AS t1 ON t1."id" = t0."b_id"
  JOIN "main"."c" AS t3 ON t3."b_id" = t1."id"
  WHERE t0."id" = ?1
  ORDER BY t3."id";

-- level 2: d
--   1: part 1 of the keys that level 0 has brought
SELECT t4."c_id", t4."id", t4."n"
  FROM "main"."d" AS t4
  WHERE t4."c_id" = ?1
  ORDER BY t4."id";

-- level 3: e
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t4."id", t5."id", t5."n"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  WHERE t0."id" = ?1
  ORDER BY t5."id";

-- level 4: f
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t5."id", t6."id"
  FROM "main"."c" AS t0
  JOIN "main"."d" AS t4 ON t4."c_id" = t0."id"
  JOIN "main"."e" AS t5 ON t5."d_id" = t4."id"
  JOIN "main"."f" AS t6 ON t6."e_id" = t5."id"
  WHERE t0."id" = ?1
  ORDER BY t6."id";

-- GET /t/person_dv/
-- level 0: person
SELECT t0."id", t0."name", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."person" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."boss_id"
  LEFT JOIN "main"."person" AS t2 ON t2."id" = t1."boss_id"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: person
--   1: part 1 of the keys that level 0 has brought
SELECT t3."boss_id", t3."id", t3."name"
  FROM "main"."person" AS t3
  WHERE t3."boss_id" = ?1
  ORDER BY t3."id";

-- level 2: person
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t4."id", t4."name"
  FROM "main"."person" AS t0
  JOIN "main"."person" AS t3 ON t3."boss_id" = t0."id"
  JOIN "main"."person" AS t4 ON t4."boss_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- GET /t/person_dv/1
-- level 0: person
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."name", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."person" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."boss_id"
  LEFT JOIN "main"."person" AS t2 ON t2."id" = t1."boss_id"
  WHERE t0."id" = ?1;

-- level 1: person
--   1: 1 (part 1 of the key)
SELECT t3."boss_id", t3."id", t3."name"
  FROM "main"."person" AS t3
  WHERE t3."boss_id" = ?1
  ORDER BY t3."id";

-- level 2: person
--   1: 1 (part 1 of the key)
SELECT t0."id", t3."id", t4."id", t4."name"
  FROM "main"."person" AS t0
  JOIN "main"."person" AS t3 ON t3."boss_id" = t0."id"
  JOIN "main"."person" AS t4 ON t4."boss_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- GET /t/person_dv/4
-- level 0: person
--   1: 4 (part 1 of the key)
SELECT t0."id", t0."name", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."person" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."boss_id"
  LEFT JOIN "main"."person" AS t2 ON t2."id" = t1."boss_id"
  WHERE t0."id" = ?1;

-- level 1: person
--   1: 4 (part 1 of the key)
SELECT t3."boss_id", t3."id", t3."name"
  FROM "main"."person" AS t3
  WHERE t3."boss_id" = ?1
  ORDER BY t3."id";

-- level 2: person
--   1: 4 (part 1 of the key)
SELECT t0."id", t3."id", t4."id", t4."name"
  FROM "main"."person" AS t0
  JOIN "main"."person" AS t3 ON t3."boss_id" = t0."id"
  JOIN "main"."person" AS t4 ON t4."boss_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- GET /t/person_dv/?q={"boss.boss.name":"Ann"}
-- level 0: person
--   1: "Ann"
--   2: 26
SELECT t0."id", t0."name", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."person" AS t0
  JOIN "main"."person" AS t1 ON t1."id" = t0."boss_id"
  JOIN "main"."person" AS t2 ON t2."id" = t1."boss_id"
  WHERE t2."name" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- level 1: person
--   1: part 1 of the keys that level 0 has brought
SELECT t3."boss_id", t3."id", t3."name"
  FROM "main"."person" AS t3
  WHERE t3."boss_id" = ?1
  ORDER BY t3."id";

-- level 2: person
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t4."id", t4."name"
  FROM "main"."person" AS t0
  JOIN "main"."person" AS t3 ON t3."boss_id" = t0."id"
  JOIN "main"."person" AS t4 ON t4."boss_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- GET /t/person_dv/?q={"staff.staff.name":"Eve"}
-- level 0: person
--   1: "Eve"
--   2: 26
SELECT t0."id", t0."name", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."person" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."boss_id"
  LEFT JOIN "main"."person" AS t2 ON t2."id" = t1."boss_id"
  WHERE EXISTS (SELECT 1
    FROM "main"."person" AS t3
    JOIN "main"."person" AS t4 ON t4."boss_id" = t3."id"
    WHERE t3."boss_id" = t0."id" AND t4."name" = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- level 1: person
--   1: part 1 of the keys that level 0 has brought
SELECT t3."boss_id", t3."id", t3."name"
  FROM "main"."person" AS t3
  WHERE t3."boss_id" = ?1
  ORDER BY t3."id";

-- level 2: person
--   1: part 1 of the keys that level 0 has brought
SELECT t0."id", t3."id", t4."id", t4."name"
  FROM "main"."person" AS t0
  JOIN "main"."person" AS t3 ON t3."boss_id" = t0."id"
  JOIN "main"."person" AS t4 ON t4."boss_id" = t3."id"
  WHERE t0."id" = ?1
  ORDER BY t4."id";

-- GET /t/game_dv/
-- level 0: game
SELECT t0."id", t0."score", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."game" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."home_id"
  LEFT JOIN "main"."person" AS t2 ON t2."id" = t0."away_id"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/game_dv/3
-- level 0: game
--   1: 3 (part 1 of the key)
SELECT t0."id", t0."score", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."game" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."home_id"
  LEFT JOIN "main"."person" AS t2 ON t2."id" = t0."away_id"
  WHERE t0."id" = ?1;

-- GET /t/game_dv/?q={"home.name":"Ann","away.name":"Bob"}
-- level 0: game
--   1: "Ann"
--   2: "Bob"
--   3: 26
SELECT t0."id", t0."score", t1."id", t1."name", t2."id", t2."name", NULL
  FROM "main"."game" AS t0
  JOIN "main"."person" AS t1 ON t1."id" = t0."home_id"
  JOIN "main"."person" AS t2 ON t2."id" = t0."away_id"
  WHERE (t1."name" = ?1 AND t2."name" = ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/away_dv/
-- level 0: game
SELECT t0."id", t1."id", t1."name", NULL
  FROM "main"."game" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."away_id"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/away_dv/?q={"awayName":null}
-- level 0: game
SELECT t0."id", t1."id", t1."name", NULL
  FROM "main"."game" AS t0
  LEFT JOIN "main"."person" AS t1 ON t1."id" = t0."away_id"
  WHERE t1."name" IS NULL
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/list_dv/
-- level 0: list
SELECT t0."id", t0."title", NULL
  FROM "main"."list" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: list_song
--   1: part 1 of the keys that level 0 has brought
SELECT t1."list_id", t1."place", t2."id", t2."title"
  FROM "main"."list_song" AS t1
  LEFT JOIN "main"."song" AS t2 ON t2."id" = t1."song_id"
  WHERE t1."list_id" = ?1
  ORDER BY t1."list_id", t1."song_id";

-- GET /t/list_dv/1
-- level 0: list
--   1: 1 (part 1 of the key)
SELECT t0."id", t0."title", NULL
  FROM "main"."list" AS t0
  WHERE t0."id" = ?1;

-- level 1: list_song
--   1: 1 (part 1 of the key)
SELECT t1."list_id", t1."place", t2."id", t2."title"
  FROM "main"."list_song" AS t1
  LEFT JOIN "main"."song" AS t2 ON t2."id" = t1."song_id"
  WHERE t1."list_id" = ?1
  ORDER BY t1."list_id", t1."song_id";

-- GET /t/song_dv/
-- level 0: song
SELECT t0."id", t0."title", NULL
  FROM "main"."song" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- level 1: list_song
--   1: part 1 of the keys that level 0 has brought
SELECT t1."song_id", t1."place", t2."id", t2."title"
  FROM "main"."list_song" AS t1
  LEFT JOIN "main"."list" AS t2 ON t2."id" = t1."list_id"
  WHERE t1."song_id" = ?1
  ORDER BY t1."list_id", t1."song_id";

-- GET /t/song_dv/2
-- level 0: song
--   1: 2 (part 1 of the key)
SELECT t0."id", t0."title", NULL
  FROM "main"."song" AS t0
  WHERE t0."id" = ?1;

-- level 1: list_song
--   1: 2 (part 1 of the key)
SELECT t1."song_id", t1."place", t2."id", t2."title"
  FROM "main"."list_song" AS t1
  LEFT JOIN "main"."list" AS t2 ON t2."id" = t1."list_id"
  WHERE t1."song_id" = ?1
  ORDER BY t1."list_id", t1."song_id";

-- GET /t/song_dv/?q={"lists.list.title":"second"}
-- level 0: song
--   1: "second"
--   2: 26
SELECT t0."id", t0."title", NULL
  FROM "main"."song" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."list_song" AS t1
    JOIN "main"."list" AS t2 ON t2."id" = t1."list_id"
    WHERE t1."song_id" = t0."id" AND t2."title" = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- level 1: list_song
--   1: part 1 of the keys that level 0 has brought
SELECT t1."song_id", t1."place", t2."id", t2."title"
  FROM "main"."list_song" AS t1
  LEFT JOIN "main"."list" AS t2 ON t2."id" = t1."list_id"
  WHERE t1."song_id" = ?1
  ORDER BY t1."list_id", t1."song_id";

-- GET /t/heat_dv/
-- level 0: heat
SELECT t0."race", t0."day", t0."laps", NULL, t0."rowid"
  FROM "main"."heat" AS t0
  WHERE TRUE
  ORDER BY t0."race" NULLS FIRST, t0."day" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- level 1: lap
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t1."ms"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- level 2: pit
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t2."lap_id", t2."stop"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t2."lap_id", t2."stop";

-- GET /t/heat_dv/x,2022-03-20
-- level 0: heat
--   1: "x" (part 1 of the key)
--   2: "2022-03-20" (part 2 of the key)
SELECT 1, t0."race", t0."day", t0."laps", NULL
  FROM "main"."heat" AS t0
  WHERE t0."race" = ?1 AND t0."day" = ?2;

-- level 1: lap
--   1: "x" (part 1 of the key)
--   2: "2022-03-20" (part 2 of the key)
SELECT 1, t1."lap_id", t1."ms"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- level 2: pit
--   1: "x" (part 1 of the key)
--   2: "2022-03-20" (part 2 of the key)
SELECT 1, t1."lap_id", t2."lap_id", t2."stop"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t2."lap_id", t2."stop";

-- GET /t/heat_dv/a%2Cb,2022-03-20
-- level 0: heat
--   1: "a,b" (part 1 of the key)
--   2: "2022-03-20" (part 2 of the key)
SELECT 1, t0."race", t0."day", t0."laps", NULL
  FROM "main"."heat" AS t0
  WHERE t0."race" = ?1 AND t0."day" = ?2;

-- level 1: lap
--   1: "a,b" (part 1 of the key)
--   2: "2022-03-20" (part 2 of the key)
SELECT 1, t1."lap_id", t1."ms"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- level 2: pit
--   1: "a,b" (part 1 of the key)
--   2: "2022-03-20" (part 2 of the key)
SELECT 1, t1."lap_id", t2."lap_id", t2."stop"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t2."lap_id", t2."stop";

-- GET /t/heat_dv/?q={"_id.race":"x","lap.pit.stop":1}
-- level 0: heat
--   1: "x"
--   2: 1
--   3: 26
SELECT t0."race", t0."day", t0."laps", NULL, t0."rowid"
  FROM "main"."heat" AS t0
  WHERE (t0."race" = ?1 AND EXISTS (SELECT 1
      FROM "main"."lap" AS t1
      JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
      WHERE t1."lap_race" = t0."race" AND t1."lap_day" = t0."day" AND t2."stop" = ?2))
  ORDER BY t0."race" NULLS FIRST, t0."day" NULLS FIRST, t0."rowid"
  LIMIT ?3;

-- level 1: lap
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t1."ms"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- level 2: pit
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t2."lap_id", t2."stop"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t2."lap_id", t2."stop";

-- GET /t/heat_dv/?after=&limit=2
-- level 0: heat
SELECT t0."race", t0."day", t0."laps", NULL, t0."rowid"
  FROM "main"."heat" AS t0
  WHERE TRUE
  ORDER BY t0."race" NULLS FIRST, t0."day" NULLS FIRST, t0."rowid"
  LIMIT 3;

-- level 1: lap
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t1."ms"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- level 2: pit
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t2."lap_id", t2."stop"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t2."lap_id", t2."stop";

-- GET the next page
-- level 0: heat
--   1: "x"
--   2: "2022-03-20"
SELECT t0."race", t0."day", t0."laps", NULL, t0."rowid"
  FROM "main"."heat" AS t0
  WHERE TRUE AND (t0."race", t0."day") > (?1, ?2)
  ORDER BY t0."race" NULLS FIRST, t0."day" NULLS FIRST, t0."rowid"
  LIMIT 3;

-- level 1: lap
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t1."ms"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- level 2: pit
--   1: part 1 of the keys that level 0 has brought
--   2: part 2 of the keys that level 0 has brought
SELECT 1, t1."lap_id", t2."lap_id", t2."stop"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  JOIN "main"."pit" AS t2 ON t2."lap_id" = t1."lap_id"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t2."lap_id", t2."stop";

-- GET /t/flat_heat_dv/x,2022-03-27
-- level 0: heat
--   1: "x" (part 1 of the key)
--   2: "2022-03-27" (part 2 of the key)
SELECT 1, t0."race", t0."day", t0."laps", NULL
  FROM "main"."heat" AS t0
  WHERE t0."race" = ?1 AND t0."day" = ?2;

-- level 1: lap
--   1: "x" (part 1 of the key)
--   2: "2022-03-27" (part 2 of the key)
SELECT 1, t1."lap_id"
  FROM "main"."heat" AS t0
  JOIN "main"."lap" AS t1 ON t1."lap_race" = t0."race" AND t1."lap_day" = t0."day"
  WHERE t0."race" = ?1 AND t0."day" = ?2
  ORDER BY t1."lap_id";

-- GET /t/word_dv/
-- level 0: word
SELECT t0."word", t0."n", NULL, t0."rowid"
  FROM "main"."word" AS t0
  WHERE TRUE
  ORDER BY t0."word" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- level 1: use_of
--   1: part 1 of the keys that level 0 has brought
SELECT t1."word", t1."id"
  FROM "main"."use_of" AS t1
  WHERE t1."word" = ?1
  ORDER BY t1."id";

-- GET /t/word_dv/a%2Cb
-- level 0: word
--   1: "a,b" (part 1 of the key)
SELECT t0."word", t0."n", NULL
  FROM "main"."word" AS t0
  WHERE t0."word" = ?1;

-- level 1: use_of
--   1: "a,b" (part 1 of the key)
SELECT t1."word", t1."id"
  FROM "main"."use_of" AS t1
  WHERE t1."word" = ?1
  ORDER BY t1."id";

-- GET /t/word_dv/%C3%A9
-- level 0: word
--   1: "é" (part 1 of the key)
SELECT t0."word", t0."n", NULL
  FROM "main"."word" AS t0
  WHERE t0."word" = ?1;

-- level 1: use_of
--   1: "é" (part 1 of the key)
SELECT t1."word", t1."id"
  FROM "main"."use_of" AS t1
  WHERE t1."word" = ?1
  ORDER BY t1."id";

-- GET /t/use_dv/
-- level 0: use_of
SELECT t0."id", t1."word", t1."n", NULL
  FROM "main"."use_of" AS t0
  LEFT JOIN "main"."word" AS t1 ON t1."word" = t0."word"
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/use_dv/4
-- level 0: use_of
--   1: 4 (part 1 of the key)
SELECT t0."id", t1."word", t1."n", NULL
  FROM "main"."use_of" AS t0
  LEFT JOIN "main"."word" AS t1 ON t1."word" = t0."word"
  WHERE t0."id" = ?1;

-- GET /t/use_dv/?q={"word.n":{"$gt":1}}
-- level 0: use_of
--   1: 1
--   2: 26
SELECT t0."id", t1."word", t1."n", NULL
  FROM "main"."use_of" AS t0
  JOIN "main"."word" AS t1 ON t1."word" = t0."word"
  WHERE t1."n" > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/device_dv/
-- level 0: device
SELECT t0."uid", t0."n", NULL, t0."rowid"
  FROM "main"."device" AS t0
  WHERE TRUE
  ORDER BY t0."uid" NULLS FIRST, t0."rowid"
  LIMIT 26;

-- level 1: reading
--   1: part 1 of the keys that level 0 has brought
SELECT t1."uid", t1."id", t1."val"
  FROM "main"."reading" AS t1
  WHERE t1."uid" IN (?1, upper(?1), unhex(?1, '-'))
  ORDER BY t1."id";

-- GET /t/device_dv/6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB
-- level 0: device
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab" (part 1 of the key)
SELECT t0."uid", t0."n", NULL
  FROM "main"."device" AS t0
  WHERE t0."uid" IN (?1, upper(?1), unhex(?1, '-'));

-- level 1: reading
--   1: "6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab" (part 1 of the key)
SELECT t1."uid", t1."id", t1."val"
  FROM "main"."reading" AS t1
  WHERE t1."uid" IN (?1, upper(?1), unhex(?1, '-'))
  ORDER BY t1."id";

-- GET /t/device_dv/00000000-0000-0000-0000-000000000001
-- level 0: device
--   1: "00000000-0000-0000-0000-000000000001" (part 1 of the key)
SELECT t0."uid", t0."n", NULL
  FROM "main"."device" AS t0
  WHERE t0."uid" IN (?1, upper(?1), unhex(?1, '-'));

-- level 1: reading
--   1: "00000000-0000-0000-0000-000000000001" (part 1 of the key)
SELECT t1."uid", t1."id", t1."val"
  FROM "main"."reading" AS t1
  WHERE t1."uid" IN (?1, upper(?1), unhex(?1, '-'))
  ORDER BY t1."id";
