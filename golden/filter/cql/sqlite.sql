-- GET /t/rec/?fields=id&query=cql.allRecords=1
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=0 and status == *
-- level 0: rec
--   1: "%"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==Open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status<>Open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==Open order
-- level 0: rec
--   1: "open order"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==Open*
-- level 0: rec
--   1: "open%"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==*pen*
-- level 0: rec
--   1: "%pen%"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==Ope?
-- level 0: rec
--   1: "ope_"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(duet_fold(t0."status"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==/respectCase open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold_accents(t0."status") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==/respectCase/respectAccents open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."status" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==/respectCase/respectAccents Ope?
-- level 0: rec
--   1: "Ope"
--   2: "Opf"
--   3: "Ope_"
--   4: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."status" >= ?1 AND t0."status" < ?2 AND duet_like(t0."status", ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/rec/?fields=id&query=status<>Ope?
-- level 0: rec
--   1: "ope_"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT duet_like(duet_fold(t0."status"), ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code==ab-100
-- level 0: rec
--   1: "ab-100"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code=="50%_off"
-- level 0: rec
--   1: "50%_off"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code=="a\*b\?c"
-- level 0: rec
--   1: "a*b?c"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code==/unmasked a*b?c
-- level 0: rec
--   1: "a*b?c"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code==/substring %_o
-- level 0: rec
--   1: "%_o"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_contains(duet_fold(t0."code"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code==/regexp "^AB-10[01]$"
-- level 0: rec
--   1: "^AB\\-10[01]$"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_regex(t0."code", ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code=="back\\slash"
-- level 0: rec
--   1: "back\\slash"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code=="say \"hi\""
-- level 0: rec
--   1: "say \"hi\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=code=="it's"
-- level 0: rec
--   1: "it's"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."code") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=city==Sovang
-- level 0: rec
--   1: "sovang"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."city") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=city==SØVANG
-- level 0: rec
--   1: "sovang"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."city") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=city==/respectAccents søvang
-- level 0: rec
--   1: "søvang"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold_case(t0."city") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title=="cafe strasse"
-- level 0: rec
--   1: "cafe strasse"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."title") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title==""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."title") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title<>""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_fold(t0."title") <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title="kayak fishing"
-- level 0: rec
--   1: "\"kayak fishing\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title adj "fishing kayak"
-- level 0: rec
--   1: "\"fishing kayak\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title all "fishing kayak"
-- level 0: rec
--   1: "\"fishing\" \"kayak\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title any "fishing baz"
-- level 0: rec
--   1: "\"fishing\" or \"baz\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title=kay*
-- level 0: rec
--   1: "\"kay\"*"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title="art *"
-- level 0: rec
--   1: "\"art\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title all "fish* a*"
-- level 0: rec
--   1: "\"fish\"* \"a\"*"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title="kayak fish*"
-- level 0: rec
--   1: "\"kayak fish\"*"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title=cafe
-- level 0: rec
--   1: "\"cafe\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title=/respectAccents cafe
-- level 0: rec
--   1: "\"cafe\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold_case(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title="123 456"
-- level 0: rec
--   1: "\"123 456\""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_text(duet_fold(t0."title"), ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title=""
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT t0."title" IS NULL)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=title=*
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=price==10
-- level 0: rec
--   1: "10"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."price" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=price ==/number 4.00
-- level 0: rec
--   1: "4"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."price" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=price > 9.5
-- level 0: rec
--   1: "9.5"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."price" > ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=price <> 4
-- level 0: rec
--   1: "4"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."price" <> ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=price within "4 10"
-- level 0: rec
--   1: "4"
--   2: "10"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."price" >= ?1 AND t0."price" <= ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec/?fields=id&query=price any "4 100"
-- level 0: rec
--   1: "4"
--   2: "100"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."price" IN (?1, ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec/?fields=id&query=rush==true
-- level 0: rec
--   1: true
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE t0."rush" = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=ordered>="2019-06-01T10:00:00" AND ordered<"2019-07-01"
-- level 0: rec
--   1: "2019-06-01T10:00:00"
--   2: "2019-06-01T10:00:00"
--   3: "2019-07-01T00:00:00"
--   4: "2019-07-01T00:00:00"
--   5: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((t0."ordered" >= duet_earliest(?1) AND duet_timestamp(t0."ordered") BETWEEN duet_timestamp(?2) AND 9223372036854775807) AND (t0."ordered" >= '' AND t0."ordered" <= duet_latest(?3) AND duet_timestamp(t0."ordered") <= duet_timestamp(?4) - 1))
  ORDER BY t0."id"
  LIMIT ?5;

-- GET /t/rec/?fields=id&query=ordered within/isoDate "2019-06-01 2019-06-30"
-- level 0: rec
--   1: "2019-06-01T00:00:00"
--   2: "2019-06-30T00:00:00"
--   3: "2019-06-01T00:00:00"
--   4: "2019-06-30T00:00:00"
--   5: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (t0."ordered" >= duet_earliest(?1) AND t0."ordered" <= duet_latest(?2) AND duet_timestamp(t0."ordered") BETWEEN duet_timestamp(?3) AND duet_timestamp(?4))
  ORDER BY t0."id"
  LIMIT ?5;

-- GET /t/rec/?fields=id&query=uid==11111111-1111-4111-8111-111111111111
-- level 0: rec
--   1: "11111111-1111-4111-8111-111111111111"
--   2: 11111111111141118111111111111111
--   3: "11111111-1111-4111-8111-111111111111"
--   4: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((t0."uid" = ?1 OR t0."uid" = ?2) AND duet_uuid(t0."uid") = duet_uuid(?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/rec/?fields=id&query=uid=1*
-- level 0: rec
--   1: "1%"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE duet_like(t0."uid", ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=uid==zz
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE FALSE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=uid<>zz
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (NOT t0."uid" IS NULL)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 NOT title=""
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (((NOT t0."title" IS NULL)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 NOT title==""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(t0."title") = ?1) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=title="" NOT title==""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((NOT t0."title" IS NULL) AND ((duet_fold(t0."title") = ?1) IS NOT TRUE))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 NOT status==Open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(t0."status") = ?1) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=status==(Open or Pending)
-- level 0: rec
--   1: "open"
--   2: "pending"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2)
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec/?fields=id&query=status==Open or status==Closed and price==/number 4
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "4"
--   4: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_fold(t0."status") = ?1 OR duet_fold(t0."status") = ?2) AND t0."price" = ?3)
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/rec/?fields=id&query=status==Open or (status==Closed and price==/number 9)
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "9"
--   4: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_fold(t0."status") = ?1 OR (duet_fold(t0."status") = ?2 AND t0."price" = ?3))
  ORDER BY t0."id"
  LIMIT ?4;

-- GET /t/rec/?fields=id&query=status=zzz or title=*
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec_dv/?fields=_id&query=lines.item==pen
-- level 0: rec
--   1: "pen"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND duet_fold(t2."item") = ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec_dv/?fields=_id&query=lines.item<>pen
-- level 0: rec
--   1: "pen"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND duet_fold(t2."item") <> ?1)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec_dv/?fields=_id&query=lines.item<>p*
-- level 0: rec
--   1: "p%"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (duet_like(duet_fold(t2."item"), ?1)) = FALSE)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec_dv/?fields=_id&query=cql.allRecords=1 not lines.item==pen
-- level 0: rec
--   1: "pen"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "main"."line" AS t2
        WHERE t2."rec_id" = t0."id" AND duet_fold(t2."item") = ?1)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec_dv/?fields=_id&query=lines.item==pen and lines.qty==5
-- level 0: rec
--   1: "pen"
--   2: 5
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (EXISTS (SELECT 1
      FROM "main"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND duet_fold(t2."item") = ?1) AND EXISTS (SELECT 1
      FROM "main"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND t2."qty" = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec_dv/?fields=_id&query=lines.item==pen prox/unit=element lines.qty==5
-- level 0: rec
--   1: "pen"
--   2: 5
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (duet_fold(t2."item") = ?1 AND t2."qty" = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec_dv/?fields=_id&query=lines.qty==5 prox/unit=element (cql.allRecords=1 not lines.item==p*)
-- level 0: rec
--   1: 5
--   2: "p%"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (t2."qty" = ?1 AND ((duet_like(duet_fold(t2."item"), ?2)) IS NOT TRUE)))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec_dv/?fields=_id&query=lines.qty all "1 5"
-- level 0: rec
--   1: 1
--   2: 5
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (EXISTS (SELECT 1
      FROM "main"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND t2."qty" = ?1) AND EXISTS (SELECT 1
      FROM "main"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND t2."qty" = ?2))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec_dv/?fields=_id&query=lines.id=*
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (NOT t2."rec_id" IS NULL))
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec_dv/?fields=_id&query=workflow==open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  JOIN "main"."parent" AS t1 ON t1."id" = t0."parent_id"
  WHERE duet_fold(t1."workflow") = ?1
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec_dv/?fields=_id&query=parent_id=*
-- level 0: rec
SELECT t0."id"
  FROM "main"."rec" AS t0
  JOIN "main"."parent" AS t1 ON t1."id" = t0."parent_id"
  WHERE (NOT t1."id" IS NULL)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=doc.tags==gift
-- level 0: rec
--   1: "[\"eq\",[\"tags\"],\"gift\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.tags==urgent*
-- level 0: rec
--   1: "[\"like\",[\"tags\"],\"urgent%\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.level==10
-- level 0: rec
--   1: "[\"in\",[\"level\"],\"10\",10]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.level==/number 1e1
-- level 0: rec
--   1: "[\"eq\",[\"level\"],1e1]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.level==/string 10
-- level 0: rec
--   1: "[\"eq\",[\"level\"],\"10\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.level==true
-- level 0: rec
--   1: "[\"in\",[\"level\"],\"true\",true]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.level<10
-- level 0: rec
--   1: "[\"lt\",[\"level\"],\"10\"]"
--   2: "[\"lt\",[\"level\"],10]"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_json(t0."doc", ?1)) OR (duet_json(t0."doc", ?2)))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec/?fields=id&query=doc.level within "1 9"
-- level 0: rec
--   1: "[\"between\",[\"level\"],\"1\",\"9\"]"
--   2: "[\"between\",[\"level\"],1,9]"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_json(t0."doc", ?1)) OR (duet_json(t0."doc", ?2)))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec/?fields=id&query=doc.level any "9 true"
-- level 0: rec
--   1: "[\"in\",[\"level\"],\"9\",9,\"true\",true]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.kind==book
-- level 0: rec
--   1: "[\"eq\",[\"kind\"],\"book\"]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=doc.kind<>book
-- level 0: rec
--   1: "[\"notnull\",[\"kind\"]]"
--   2: "[\"eq\",[\"kind\"],\"book\"]"
--   3: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE ((duet_json(t0."doc", ?1)) AND (NOT coalesce(duet_json(t0."doc", ?2), FALSE)))
  ORDER BY t0."id"
  LIMIT ?3;

-- GET /t/rec/?fields=id&query=doc.kind=""
-- level 0: rec
--   1: "[\"notnull\",[\"kind\"]]"
--   2: 26
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE (duet_json(t0."doc", ?1))
  ORDER BY t0."id"
  LIMIT ?2;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 sortBy status/ignoreCase title/sort.descending/respectCase
-- level 0: rec
SELECT t0."id", duet_fold_case(t0."status"), t0."title"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold_case(t0."status") NULLS LAST, t0."title" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=price=* sortBy price/number code
-- level 0: rec
SELECT t0."id", t0."price", t0."code"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."price" NULLS LAST, t0."code" NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 sortBy city/descending/ignoreCase/ignoreAccents
-- level 0: rec
SELECT t0."id", duet_fold(t0."city")
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold(t0."city") DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&limit=2&query=cql.allRecords=1 sortBy code/ignoreCase
-- level 0: rec
SELECT t0."id", duet_fold_case(t0."code")
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold_case(t0."code") NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: rec
--   1: 3
--   2: 2
SELECT t0."id", duet_fold_case(t0."code")
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold_case(t0."code") NULLS LAST, t0."id"
  LIMIT ?1 OFFSET ?2;

-- GET /t/rec/?fields=id&limit=3&after=&query=cql.allRecords=1 sortBy code/ignoreCase
-- level 0: rec
--   1: 4
SELECT t0."id", duet_fold_case(t0."code")
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_fold_case(t0."code") NULLS LAST, t0."id"
  LIMIT ?1;

-- GET the next page
-- level 0: rec
--   1: "ab-100"
--   2: "ab-100"
--   3: 1
--   4: 4
SELECT t0."id", duet_fold_case(t0."code")
  FROM "main"."rec" AS t0
  WHERE TRUE AND (((duet_fold_case(t0."code") > ?1 OR duet_fold_case(t0."code") IS NULL)) OR ((duet_fold_case(t0."code") = ?2) AND (t0."id" > ?3)))
  ORDER BY duet_fold_case(t0."code") NULLS LAST, t0."id"
  LIMIT ?4;

-- GET /t/rec_dv/?fields=_id&query=lines.id=* sortBy workflow/descending
-- level 0: rec
SELECT t0."id", t1."workflow"
  FROM "main"."rec" AS t0
  LEFT JOIN "main"."parent" AS t1 ON t1."id" = t0."parent_id"
  WHERE EXISTS (SELECT 1
    FROM "main"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (NOT t2."rec_id" IS NULL))
  ORDER BY t1."workflow" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 sortBy doc.level
-- level 0: rec
--   1: "[\"exists\",[\"level\"]]"
SELECT t0."id"
  FROM "main"."rec" AS t0
  WHERE TRUE
  ORDER BY duet_json_order(t0."doc", ?1) NULLS LAST, t0."id"
  LIMIT 26;
