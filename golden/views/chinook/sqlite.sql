-- GET /ords/chinook/artist_dv/1
-- level 0: artist
--   1: 1 (part 1 of the key)
SELECT t0."ArtistId", t0."Name", NULL
  FROM "main"."Artist" AS t0
  WHERE t0."ArtistId" = ?1;

-- level 1: album
--   1: 1 (part 1 of the key)
SELECT t1."ArtistId", t1."AlbumId", t1."Title"
  FROM "main"."Album" AS t1
  WHERE t1."ArtistId" = ?1
  ORDER BY t1."AlbumId";

-- level 2: track
--   1: 1 (part 1 of the key)
SELECT t0."ArtistId", t1."AlbumId", t2."TrackId", t2."Name", t2."Composer", t2."Milliseconds", t2."UnitPrice", t3."GenreId", t3."Name"
  FROM "main"."Artist" AS t0
  JOIN "main"."Album" AS t1 ON t1."ArtistId" = t0."ArtistId"
  JOIN "main"."Track" AS t2 ON t2."AlbumId" = t1."AlbumId"
  LEFT JOIN "main"."Genre" AS t3 ON t3."GenreId" = t2."GenreId"
  WHERE t0."ArtistId" = ?1
  ORDER BY t2."TrackId";

-- GET /ords/chinook/artist_dv/?limit=3&offset=20
-- level 0: artist
--   1: 4
--   2: 20
SELECT t0."ArtistId", t0."Name", NULL
  FROM "main"."Artist" AS t0
  WHERE TRUE
  ORDER BY t0."ArtistId"
  LIMIT ?1 OFFSET ?2;

-- level 1: album
--   1: part 1 of the keys that level 0 has brought
SELECT t1."ArtistId", t1."AlbumId", t1."Title"
  FROM "main"."Album" AS t1
  WHERE t1."ArtistId" = ?1
  ORDER BY t1."AlbumId";

-- level 2: track
--   1: part 1 of the keys that level 0 has brought
SELECT t0."ArtistId", t1."AlbumId", t2."TrackId", t2."Name", t2."Composer", t2."Milliseconds", t2."UnitPrice", t3."GenreId", t3."Name"
  FROM "main"."Artist" AS t0
  JOIN "main"."Album" AS t1 ON t1."ArtistId" = t0."ArtistId"
  JOIN "main"."Track" AS t2 ON t2."AlbumId" = t1."AlbumId"
  LEFT JOIN "main"."Genre" AS t3 ON t3."GenreId" = t2."GenreId"
  WHERE t0."ArtistId" = ?1
  ORDER BY t2."TrackId";

-- GET /ords/chinook/artist_dv/25
-- level 0: artist
--   1: 25 (part 1 of the key)
SELECT t0."ArtistId", t0."Name", NULL
  FROM "main"."Artist" AS t0
  WHERE t0."ArtistId" = ?1;

-- level 1: album
--   1: 25 (part 1 of the key)
SELECT t1."ArtistId", t1."AlbumId", t1."Title"
  FROM "main"."Album" AS t1
  WHERE t1."ArtistId" = ?1
  ORDER BY t1."AlbumId";

-- level 2: track
--   1: 25 (part 1 of the key)
SELECT t0."ArtistId", t1."AlbumId", t2."TrackId", t2."Name", t2."Composer", t2."Milliseconds", t2."UnitPrice", t3."GenreId", t3."Name"
  FROM "main"."Artist" AS t0
  JOIN "main"."Album" AS t1 ON t1."ArtistId" = t0."ArtistId"
  JOIN "main"."Track" AS t2 ON t2."AlbumId" = t1."AlbumId"
  LEFT JOIN "main"."Genre" AS t3 ON t3."GenreId" = t2."GenreId"
  WHERE t0."ArtistId" = ?1
  ORDER BY t2."TrackId";

-- GET /ords/chinook/artist_dv/?q={"albums.tracks.genre.name":"Opera"}&count=exact
-- level 0: artist
--   1: "Opera"
--   2: 26
SELECT t0."ArtistId", t0."Name", NULL
  FROM "main"."Artist" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."Album" AS t1
    JOIN "main"."Track" AS t2 ON t2."AlbumId" = t1."AlbumId"
    JOIN "main"."Genre" AS t3 ON t3."GenreId" = t2."GenreId"
    WHERE t1."ArtistId" = t0."ArtistId" AND t3."Name" = ?1)
  ORDER BY t0."ArtistId"
  LIMIT ?2;

-- level 1: album
--   1: part 1 of the keys that level 0 has brought
SELECT t1."ArtistId", t1."AlbumId", t1."Title"
  FROM "main"."Album" AS t1
  WHERE t1."ArtistId" = ?1
  ORDER BY t1."AlbumId";

-- level 2: track
--   1: part 1 of the keys that level 0 has brought
SELECT t0."ArtistId", t1."AlbumId", t2."TrackId", t2."Name", t2."Composer", t2."Milliseconds", t2."UnitPrice", t3."GenreId", t3."Name"
  FROM "main"."Artist" AS t0
  JOIN "main"."Album" AS t1 ON t1."ArtistId" = t0."ArtistId"
  JOIN "main"."Track" AS t2 ON t2."AlbumId" = t1."AlbumId"
  LEFT JOIN "main"."Genre" AS t3 ON t3."GenreId" = t2."GenreId"
  WHERE t0."ArtistId" = ?1
  ORDER BY t2."TrackId";

-- total
--   1: "Opera"
SELECT count(*)
  FROM "main"."Artist" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."Album" AS t1
    JOIN "main"."Track" AS t2 ON t2."AlbumId" = t1."AlbumId"
    JOIN "main"."Genre" AS t3 ON t3."GenreId" = t2."GenreId"
    WHERE t1."ArtistId" = t0."ArtistId" AND t3."Name" = ?1);

-- GET /ords/chinook/customer_dv/1
-- level 0: customer
--   1: 1 (part 1 of the key)
SELECT t0."CustomerId", t0."FirstName", t0."LastName", t0."Company", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Email", t1."EmployeeId", t1."FirstName", t1."LastName", NULL
  FROM "main"."Customer" AS t0
  LEFT JOIN "main"."Employee" AS t1 ON t1."EmployeeId" = t0."SupportRepId"
  WHERE t0."CustomerId" = ?1;

-- level 1: invoice
--   1: 1 (part 1 of the key)
SELECT t2."CustomerId", t2."InvoiceId", t2."InvoiceDate", t2."Total"
  FROM "main"."Invoice" AS t2
  WHERE t2."CustomerId" = ?1
  ORDER BY t2."InvoiceId";

-- level 2: invoice_line
--   1: 1 (part 1 of the key)
SELECT t0."CustomerId", t2."InvoiceId", t3."InvoiceLineId", t3."UnitPrice", t3."Quantity", t4."TrackId", t4."Name", t5."AlbumId", t5."Title", t6."ArtistId", t6."Name"
  FROM "main"."Customer" AS t0
  JOIN "main"."Invoice" AS t2 ON t2."CustomerId" = t0."CustomerId"
  JOIN "main"."InvoiceLine" AS t3 ON t3."InvoiceId" = t2."InvoiceId"
  LEFT JOIN "main"."Track" AS t4 ON t4."TrackId" = t3."TrackId"
  LEFT JOIN "main"."Album" AS t5 ON t5."AlbumId" = t4."AlbumId"
  LEFT JOIN "main"."Artist" AS t6 ON t6."ArtistId" = t5."ArtistId"
  WHERE t0."CustomerId" = ?1
  ORDER BY t3."InvoiceLineId";

-- GET /ords/chinook/customer_dv/?limit=2&q={"address.country":"France","$orderby":{"lastName":"DESC"}}
-- level 0: customer
--   1: "France"
--   2: 3
SELECT t0."CustomerId", t0."FirstName", t0."LastName", t0."Company", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Email", t1."EmployeeId", t1."FirstName", t1."LastName", NULL
  FROM "main"."Customer" AS t0
  LEFT JOIN "main"."Employee" AS t1 ON t1."EmployeeId" = t0."SupportRepId"
  WHERE t0."Country" = ?1
  ORDER BY t0."LastName" DESC, t0."CustomerId"
  LIMIT ?2;

-- level 1: invoice
--   1: part 1 of the keys that level 0 has brought
SELECT t2."CustomerId", t2."InvoiceId", t2."InvoiceDate", t2."Total"
  FROM "main"."Invoice" AS t2
  WHERE t2."CustomerId" = ?1
  ORDER BY t2."InvoiceId";

-- level 2: invoice_line
--   1: part 1 of the keys that level 0 has brought
SELECT t0."CustomerId", t2."InvoiceId", t3."InvoiceLineId", t3."UnitPrice", t3."Quantity", t4."TrackId", t4."Name", t5."AlbumId", t5."Title", t6."ArtistId", t6."Name"
  FROM "main"."Customer" AS t0
  JOIN "main"."Invoice" AS t2 ON t2."CustomerId" = t0."CustomerId"
  JOIN "main"."InvoiceLine" AS t3 ON t3."InvoiceId" = t2."InvoiceId"
  LEFT JOIN "main"."Track" AS t4 ON t4."TrackId" = t3."TrackId"
  LEFT JOIN "main"."Album" AS t5 ON t5."AlbumId" = t4."AlbumId"
  LEFT JOIN "main"."Artist" AS t6 ON t6."ArtistId" = t5."ArtistId"
  WHERE t0."CustomerId" = ?1
  ORDER BY t3."InvoiceLineId";

-- GET /ords/chinook/customer_dv/?fields=email&q={"invoices.lines.track.album.artist.name":"Iron Maiden","support.firstName":"Jane"}
-- level 0: customer
--   1: "Iron Maiden"
--   2: "Jane"
--   3: 26
SELECT t0."Email", t0."CustomerId"
  FROM "main"."Customer" AS t0
  JOIN "main"."Employee" AS t1 ON t1."EmployeeId" = t0."SupportRepId"
  WHERE (EXISTS (SELECT 1
      FROM "main"."Invoice" AS t2
      JOIN "main"."InvoiceLine" AS t3 ON t3."InvoiceId" = t2."InvoiceId"
      JOIN "main"."Track" AS t4 ON t4."TrackId" = t3."TrackId"
      JOIN "main"."Album" AS t5 ON t5."AlbumId" = t4."AlbumId"
      JOIN "main"."Artist" AS t6 ON t6."ArtistId" = t5."ArtistId"
      WHERE t2."CustomerId" = t0."CustomerId" AND t6."Name" = ?1) AND t1."FirstName" = ?2)
  ORDER BY t0."CustomerId"
  LIMIT ?3;

-- GET /ords/chinook/customer_dv/?fields=lastName,invoices.total&q={"invoices.total":{"$gt":20}}&count=exact
-- level 0: customer
--   1: "20"
--   2: 26
SELECT t0."LastName", t0."CustomerId"
  FROM "main"."Customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."Invoice" AS t2
    WHERE t2."CustomerId" = t0."CustomerId" AND t2."Total" > ?1)
  ORDER BY t0."CustomerId"
  LIMIT ?2;

-- level 1: invoice
--   1: part 1 of the keys that level 0 has brought
SELECT t2."CustomerId", t2."Total"
  FROM "main"."Invoice" AS t2
  WHERE t2."CustomerId" = ?1
  ORDER BY t2."InvoiceId";

-- total
--   1: "20"
SELECT count(*)
  FROM "main"."Customer" AS t0
  WHERE EXISTS (SELECT 1
    FROM "main"."Invoice" AS t2
    WHERE t2."CustomerId" = t0."CustomerId" AND t2."Total" > ?1);
