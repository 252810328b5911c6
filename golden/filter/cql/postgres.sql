-- GET /t/rec/?fields=id&query=cql.allRecords=1
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=0 and status == *
-- level 0: rec
--   1: "%"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==Open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status<>Open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") <> $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==Open order
-- level 0: rec
--   1: "open order"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==Open*
-- level 0: rec
--   1: "open%"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==*pen*
-- level 0: rec
--   1: "%pen%"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==Ope?
-- level 0: rec
--   1: "ope_"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==/respectCase open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize((t0."status")::text COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==/respectCase/respectAccents open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."status" = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==/respectCase/respectAccents Ope?
-- level 0: rec
--   1: "Ope_"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."status")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status<>Ope?
-- level 0: rec
--   1: "ope_"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code==ab-100
-- level 0: rec
--   1: "ab-100"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code=="50%_off"
-- level 0: rec
--   1: "50%_off"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code=="a\*b\?c"
-- level 0: rec
--   1: "a*b?c"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code==/unmasked a*b?c
-- level 0: rec
--   1: "a*b?c"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code==/substring %_o
-- level 0: rec
--   1: "%_o"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE strpos(((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text, $1::text) > 0
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code==/regexp "^AB-10[01]$"
-- level 0: rec
--   1: "^AB\\-10[01]$"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."code")::text ~ $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code=="back\\slash"
-- level 0: rec
--   1: "back\\slash"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code=="say \"hi\""
-- level 0: rec
--   1: "say \"hi\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=code=="it's"
-- level 0: rec
--   1: "it's"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=city==Sovang
-- level 0: rec
--   1: "sovang"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."city")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=city==SØVANG
-- level 0: rec
--   1: "sovang"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."city")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=city==/respectAccents søvang
-- level 0: rec
--   1: "søvang"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (translate(lower((t0."city")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title=="cafe strasse"
-- level 0: rec
--   1: "cafe strasse"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title==""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title<>""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") <> $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title="kayak fishing"
-- level 0: rec
--   1: "\"kayak fishing\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title adj "fishing kayak"
-- level 0: rec
--   1: "\"fishing kayak\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title all "fishing kayak"
-- level 0: rec
--   1: "\"fishing\" \"kayak\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title any "fishing baz"
-- level 0: rec
--   1: "\"fishing\" or \"baz\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title=kay*
-- level 0: rec
--   1: "('kay':*)"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title="art *"
-- level 0: rec
--   1: "\"art\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title all "fish* a*"
-- level 0: rec
--   1: "('fish':*) & ('a':*)"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title="kayak fish*"
-- level 0: rec
--   1: "('kayak' <-> 'fish':*)"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title=cafe
-- level 0: rec
--   1: "\"cafe\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title=/respectAccents cafe
-- level 0: rec
--   1: "\"cafe\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title="123 456"
-- level 0: rec
--   1: "\"123 456\""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE to_tsvector('simple'::regconfig, ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text) @@ websearch_to_tsquery('simple'::regconfig, $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title=""
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT t0."title" IS NULL)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=title=*
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=price==10
-- level 0: rec
--   1: "10"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."price" = $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=price ==/number 4.00
-- level 0: rec
--   1: "4"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."price" = $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=price > 9.5
-- level 0: rec
--   1: "9.5"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."price" > $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=price <> 4
-- level 0: rec
--   1: "4"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."price" <> $1::numeric
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=price within "4 10"
-- level 0: rec
--   1: "4"
--   2: "10"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."price" >= $1::numeric AND t0."price" <= $2::numeric)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=price any "4 100"
-- level 0: rec
--   1: "4"
--   2: "100"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."price" IN ($1::numeric, $2::numeric)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=rush==true
-- level 0: rec
--   1: true
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."rush" = $1::boolean
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=ordered>="2019-06-01T10:00:00" AND ordered<"2019-07-01"
-- level 0: rec
--   1: "2019-06-01T10:00:00"
--   2: "2019-07-01T00:00:00"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."ordered" >= $1::timestamp AND t0."ordered" < $2::timestamp)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=ordered within/isoDate "2019-06-01 2019-06-30"
-- level 0: rec
--   1: "2019-06-01T00:00:00"
--   2: "2019-06-30T00:00:00"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."ordered" >= $1::timestamp AND t0."ordered" <= $2::timestamp)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=uid==11111111-1111-4111-8111-111111111111
-- level 0: rec
--   1: "11111111-1111-4111-8111-111111111111"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE t0."uid" = $1::uuid
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=uid=1*
-- level 0: rec
--   1: "1%"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (t0."uid")::text LIKE $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=uid==zz
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE FALSE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=uid<>zz
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (NOT t0."uid" IS NULL)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 NOT title=""
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((NOT t0."title" IS NULL)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 NOT title==""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=title="" NOT title==""
-- level 0: rec
--   1: ""
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((NOT t0."title" IS NULL) AND (((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."title")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text) IS NOT TRUE))
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 NOT status==Open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=status==(Open or Pending)
-- level 0: rec
--   1: "open"
--   2: "pending"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text OR (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $2::text)
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=status==Open or status==Closed and price==/number 4
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "4"
--   4: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text OR (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $2::text) AND t0."price" = $3::numeric)
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/rec/?fields=id&query=status==Open or (status==Closed and price==/number 9)
-- level 0: rec
--   1: "open"
--   2: "closed"
--   3: "9"
--   4: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text OR ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $2::text AND t0."price" = $3::numeric))
  ORDER BY t0."id"
  LIMIT $4::int8;

-- GET /t/rec/?fields=id&query=status=zzz or title=*
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec_dv/?fields=_id&query=lines.item==pen
-- level 0: rec
--   1: "pen"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.item<>pen
-- level 0: rec
--   1: "pen"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") <> $1::text)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.item<>p*
-- level 0: rec
--   1: "p%"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $1::text) = FALSE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec_dv/?fields=_id&query=cql.allRecords=1 not lines.item==pen
-- level 0: rec
--   1: "pen"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((EXISTS (SELECT 1
        FROM "public"."line" AS t2
        WHERE t2."rec_id" = t0."id" AND (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text)) IS NOT TRUE)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.item==pen and lines.qty==5
-- level 0: rec
--   1: "pen"
--   2: 5
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (EXISTS (SELECT 1
      FROM "public"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text) AND EXISTS (SELECT 1
      FROM "public"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND t2."qty" = $2::int8))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.item==pen prox/unit=element lines.qty==5
-- level 0: rec
--   1: "pen"
--   2: 5
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND ((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text AND t2."qty" = $2::int8))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.qty==5 prox/unit=element (cql.allRecords=1 not lines.item==p*)
-- level 0: rec
--   1: 5
--   2: "p%"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (t2."qty" = $1::int8 AND ((((replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t2."item")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C"))::text LIKE $2::text) IS NOT TRUE)))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.qty all "1 5"
-- level 0: rec
--   1: 1
--   2: 5
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (EXISTS (SELECT 1
      FROM "public"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND t2."qty" = $1::int8) AND EXISTS (SELECT 1
      FROM "public"."line" AS t2
      WHERE t2."rec_id" = t0."id" AND t2."qty" = $2::int8))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.id=*
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (NOT t2."rec_id" IS NULL))
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec_dv/?fields=_id&query=workflow==open
-- level 0: rec
--   1: "open"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  JOIN "public"."parent" AS t1 ON t1."id" = t0."parent_id"
  WHERE (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t1."workflow")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") = $1::text
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec_dv/?fields=_id&query=parent_id=*
-- level 0: rec
SELECT t0."id"
  FROM "public"."rec" AS t0
  JOIN "public"."parent" AS t1 ON t1."id" = t0."parent_id"
  WHERE (NOT t1."id" IS NULL)
  ORDER BY t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=doc.tags==gift
-- level 0: rec
--   1: "lax $.\"tags\" ? ((@.type() == \"string\" && @ == \"gift\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.tags==urgent*
-- level 0: rec
--   1: "lax $.\"tags\" ? (@.type() == \"string\" && @ like_regex \"^urgent.*$\" flag \"s\")"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.level==10
-- level 0: rec
--   1: "lax $.\"level\" ? (((@.type() == \"string\" && @ == \"10\") || (@.type() == \"number\" && @ == 10)))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.level==/number 1e1
-- level 0: rec
--   1: "lax $.\"level\" ? ((@.type() == \"number\" && @ == 1e1))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.level==/string 10
-- level 0: rec
--   1: "lax $.\"level\" ? ((@.type() == \"string\" && @ == \"10\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.level==true
-- level 0: rec
--   1: "lax $.\"level\" ? (((@.type() == \"string\" && @ == \"true\") || (@.type() == \"boolean\" && @ == true)))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.level<10
-- level 0: rec
--   1: "lax $.\"level\" ? ((@.type() == \"string\" && @ < \"10\"))"
--   2: "lax $.\"level\" ? ((@.type() == \"number\" && @ < 10))"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((t0."doc")::jsonb @? $1::text::jsonpath) OR ((t0."doc")::jsonb @? $2::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=doc.level within "1 9"
-- level 0: rec
--   1: "lax $.\"level\" ? ((@.type() == \"string\" && @ >= \"1\") && (@.type() == \"string\" && @ <= \"9\"))"
--   2: "lax $.\"level\" ? ((@.type() == \"number\" && @ >= 1) && (@.type() == \"number\" && @ <= 9))"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((t0."doc")::jsonb @? $1::text::jsonpath) OR ((t0."doc")::jsonb @? $2::text::jsonpath))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=doc.level any "9 true"
-- level 0: rec
--   1: "lax $.\"level\" ? ((((@.type() == \"string\" && @ == \"9\") || (@.type() == \"number\" && @ == 9)) || ((@.type() == \"string\" && @ == \"true\") || (@.type() == \"boolean\" && @ == true))))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.kind==book
-- level 0: rec
--   1: "lax $.\"kind\" ? ((@.type() == \"string\" && @ == \"book\"))"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=doc.kind<>book
-- level 0: rec
--   1: "lax $.\"kind\" ? (@.type() != \"null\")"
--   2: "lax $.\"kind\" ? ((@.type() == \"string\" && @ == \"book\"))"
--   3: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE (((t0."doc")::jsonb @? $1::text::jsonpath) AND (NOT coalesce((t0."doc")::jsonb @? $2::text::jsonpath, FALSE)))
  ORDER BY t0."id"
  LIMIT $3::int8;

-- GET /t/rec/?fields=id&query=doc.kind=""
-- level 0: rec
--   1: "lax $.\"kind\" ? (@.type() != \"null\")"
--   2: 26
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE ((t0."doc")::jsonb @? $1::text::jsonpath)
  ORDER BY t0."id"
  LIMIT $2::int8;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 sortBy status/ignoreCase title/sort.descending/respectCase
-- level 0: rec
SELECT t0."id", (translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C"), t0."title"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (translate(lower((t0."status")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") NULLS LAST, t0."title" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=price=* sortBy price/number code
-- level 0: rec
SELECT t0."id", t0."price", t0."code"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY t0."price" NULLS LAST, t0."code" NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 sortBy city/descending/ignoreCase/ignoreAccents
-- level 0: rec
SELECT t0."id", (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."city")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (replace(replace(replace(replace(replace(replace(replace(replace(translate(normalize(regexp_replace(normalize(translate(lower((t0."city")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C", NFD), '[\u0300-\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), 'ß', 'ss') COLLATE "C") DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&limit=2&query=cql.allRecords=1 sortBy code/ignoreCase
-- level 0: rec
SELECT t0."id", (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") NULLS LAST, t0."id"
  LIMIT 3;

-- GET the next page
-- level 0: rec
--   1: 3
--   2: 2
SELECT t0."id", (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") NULLS LAST, t0."id"
  LIMIT $1::int8 OFFSET $2::int8;

-- GET /t/rec/?fields=id&limit=3&after=&query=cql.allRecords=1 sortBy code/ignoreCase
-- level 0: rec
--   1: 4
SELECT t0."id", (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") NULLS LAST, t0."id"
  LIMIT $1::int8;

-- GET the next page
-- level 0: rec
--   1: "ab-100"
--   2: "ab-100"
--   3: 1
--   4: 4
SELECT t0."id", (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C")
  FROM "public"."rec" AS t0
  WHERE TRUE AND ((((translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") > $1::text OR (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") IS NULL)) OR (((translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") = $2::text) AND (t0."id" > $3::int8)))
  ORDER BY (translate(lower((t0."code")::text COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C") NULLS LAST, t0."id"
  LIMIT $4::int8;

-- GET /t/rec_dv/?fields=_id&query=lines.id=* sortBy workflow/descending
-- level 0: rec
SELECT t0."id", t1."workflow"
  FROM "public"."rec" AS t0
  LEFT JOIN "public"."parent" AS t1 ON t1."id" = t0."parent_id"
  WHERE EXISTS (SELECT 1
    FROM "public"."line" AS t2
    WHERE t2."rec_id" = t0."id" AND (NOT t2."rec_id" IS NULL))
  ORDER BY t1."workflow" DESC NULLS LAST, t0."id"
  LIMIT 26;

-- GET /t/rec/?fields=id&query=cql.allRecords=1 sortBy doc.level
-- level 0: rec
--   1: "strict $.\"level\""
SELECT t0."id"
  FROM "public"."rec" AS t0
  WHERE TRUE
  ORDER BY CASE jsonb_typeof(jsonb_path_query_first((t0."doc")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'boolean' THEN CASE WHEN jsonb_path_query_first((t0."doc")::jsonb, $1::text::jsonpath, '{}', TRUE) = 'true' THEN 1 ELSE 0 END WHEN 'number' THEN 2 WHEN 'string' THEN 3 WHEN 'array' THEN 4 WHEN 'object' THEN 4 END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."doc")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'number' THEN (jsonb_path_query_first((t0."doc")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}')::numeric END NULLS LAST, CASE jsonb_typeof(jsonb_path_query_first((t0."doc")::jsonb, $1::text::jsonpath, '{}', TRUE)) WHEN 'string' THEN (jsonb_path_query_first((t0."doc")::jsonb, $1::text::jsonpath, '{}', TRUE) #>> '{}') COLLATE "C" END NULLS LAST, t0."id"
  LIMIT 26;
