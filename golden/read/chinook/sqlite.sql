-- GET /ords/chinook/album/
-- level 0: album
SELECT t0."AlbumId", t0."Title", t0."ArtistId"
  FROM "main"."Album" AS t0
  WHERE TRUE
  ORDER BY t0."AlbumId"
  LIMIT 26;

-- GET /ords/chinook/album/1
-- level 0: album
--   1: 1 (part 1 of the key)
SELECT t0."AlbumId", t0."Title", t0."ArtistId"
  FROM "main"."Album" AS t0
  WHERE t0."AlbumId" = ?1;

-- GET /ords/chinook/artist/
-- level 0: artist
SELECT t0."ArtistId", t0."Name"
  FROM "main"."Artist" AS t0
  WHERE TRUE
  ORDER BY t0."ArtistId"
  LIMIT 26;

-- GET /ords/chinook/artist/1
-- level 0: artist
--   1: 1 (part 1 of the key)
SELECT t0."ArtistId", t0."Name"
  FROM "main"."Artist" AS t0
  WHERE t0."ArtistId" = ?1;

-- GET /ords/chinook/customer/
-- level 0: customer
SELECT t0."CustomerId", t0."FirstName", t0."LastName", t0."Company", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Phone", t0."Fax", t0."Email", t0."SupportRepId"
  FROM "main"."Customer" AS t0
  WHERE TRUE
  ORDER BY t0."CustomerId"
  LIMIT 26;

-- GET /ords/chinook/customer/1
-- level 0: customer
--   1: 1 (part 1 of the key)
SELECT t0."CustomerId", t0."FirstName", t0."LastName", t0."Company", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Phone", t0."Fax", t0."Email", t0."SupportRepId"
  FROM "main"."Customer" AS t0
  WHERE t0."CustomerId" = ?1;

-- GET /ords/chinook/employee/
-- level 0: employee
SELECT t0."EmployeeId", t0."LastName", t0."FirstName", t0."Title", t0."ReportsTo", t0."BirthDate", t0."HireDate", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Phone", t0."Fax", t0."Email"
  FROM "main"."Employee" AS t0
  WHERE TRUE
  ORDER BY t0."EmployeeId"
  LIMIT 26;

-- GET /ords/chinook/employee/1
-- level 0: employee
--   1: 1 (part 1 of the key)
SELECT t0."EmployeeId", t0."LastName", t0."FirstName", t0."Title", t0."ReportsTo", t0."BirthDate", t0."HireDate", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Phone", t0."Fax", t0."Email"
  FROM "main"."Employee" AS t0
  WHERE t0."EmployeeId" = ?1;

-- GET /ords/chinook/genre/
-- level 0: genre
SELECT t0."GenreId", t0."Name"
  FROM "main"."Genre" AS t0
  WHERE TRUE
  ORDER BY t0."GenreId"
  LIMIT 26;

-- GET /ords/chinook/genre/1
-- level 0: genre
--   1: 1 (part 1 of the key)
SELECT t0."GenreId", t0."Name"
  FROM "main"."Genre" AS t0
  WHERE t0."GenreId" = ?1;

-- GET /ords/chinook/invoice/?limit=19
-- level 0: invoice
--   1: 20
SELECT t0."InvoiceId", t0."CustomerId", t0."InvoiceDate", t0."BillingAddress", t0."BillingCity", t0."BillingState", t0."BillingCountry", t0."BillingPostalCode", t0."Total"
  FROM "main"."Invoice" AS t0
  WHERE TRUE
  ORDER BY t0."InvoiceId"
  LIMIT ?1;

-- GET /ords/chinook/invoice/1
-- level 0: invoice
--   1: 1 (part 1 of the key)
SELECT t0."InvoiceId", t0."CustomerId", t0."InvoiceDate", t0."BillingAddress", t0."BillingCity", t0."BillingState", t0."BillingCountry", t0."BillingPostalCode", t0."Total"
  FROM "main"."Invoice" AS t0
  WHERE t0."InvoiceId" = ?1;

-- GET /ords/chinook/invoice_line/
-- level 0: invoice_line
SELECT t0."InvoiceLineId", t0."InvoiceId", t0."TrackId", t0."UnitPrice", t0."Quantity"
  FROM "main"."InvoiceLine" AS t0
  WHERE TRUE
  ORDER BY t0."InvoiceLineId"
  LIMIT 26;

-- GET /ords/chinook/invoice_line/1
-- level 0: invoice_line
--   1: 1 (part 1 of the key)
SELECT t0."InvoiceLineId", t0."InvoiceId", t0."TrackId", t0."UnitPrice", t0."Quantity"
  FROM "main"."InvoiceLine" AS t0
  WHERE t0."InvoiceLineId" = ?1;

-- GET /ords/chinook/media_type/
-- level 0: media_type
SELECT t0."MediaTypeId", t0."Name"
  FROM "main"."MediaType" AS t0
  WHERE TRUE
  ORDER BY t0."MediaTypeId"
  LIMIT 26;

-- GET /ords/chinook/media_type/1
-- level 0: media_type
--   1: 1 (part 1 of the key)
SELECT t0."MediaTypeId", t0."Name"
  FROM "main"."MediaType" AS t0
  WHERE t0."MediaTypeId" = ?1;

-- GET /ords/chinook/playlist/
-- level 0: playlist
SELECT t0."PlaylistId", t0."Name"
  FROM "main"."Playlist" AS t0
  WHERE TRUE
  ORDER BY t0."PlaylistId"
  LIMIT 26;

-- GET /ords/chinook/playlist/1
-- level 0: playlist
--   1: 1 (part 1 of the key)
SELECT t0."PlaylistId", t0."Name"
  FROM "main"."Playlist" AS t0
  WHERE t0."PlaylistId" = ?1;

-- GET /ords/chinook/track/
-- level 0: track
SELECT t0."TrackId", t0."Name", t0."AlbumId", t0."MediaTypeId", t0."GenreId", t0."Composer", t0."Milliseconds", t0."Bytes", t0."UnitPrice"
  FROM "main"."Track" AS t0
  WHERE TRUE
  ORDER BY t0."TrackId"
  LIMIT 26;

-- GET /ords/chinook/track/1
-- level 0: track
--   1: 1 (part 1 of the key)
SELECT t0."TrackId", t0."Name", t0."AlbumId", t0."MediaTypeId", t0."GenreId", t0."Composer", t0."Milliseconds", t0."Bytes", t0."UnitPrice"
  FROM "main"."Track" AS t0
  WHERE t0."TrackId" = ?1;

-- GET /ords/chinook/playlist_track/
-- level 0: playlist_track
SELECT t0."PlaylistId", t0."TrackId"
  FROM "main"."PlaylistTrack" AS t0
  WHERE TRUE
  ORDER BY t0."PlaylistId", t0."TrackId"
  LIMIT 26;

-- GET /ords/chinook/playlist_track/1,1
-- level 0: playlist_track
--   1: 1 (part 1 of the key)
--   2: 1 (part 2 of the key)
SELECT 1, t0."PlaylistId", t0."TrackId"
  FROM "main"."PlaylistTrack" AS t0
  WHERE t0."PlaylistId" = ?1 AND t0."TrackId" = ?2;

-- GET /ords/chinook/track/?q={"unit_price":{"$gt":0.99},"$orderby":{"name":"ASC"}}&limit=3&count=exact
-- level 0: track
--   1: "0.99"
--   2: 4
SELECT t0."TrackId", t0."Name", t0."AlbumId", t0."MediaTypeId", t0."GenreId", t0."Composer", t0."Milliseconds", t0."Bytes", t0."UnitPrice"
  FROM "main"."Track" AS t0
  WHERE t0."UnitPrice" > ?1
  ORDER BY t0."Name", t0."TrackId"
  LIMIT ?2;

-- total
--   1: "0.99"
SELECT count(*)
  FROM "main"."Track" AS t0
  WHERE t0."UnitPrice" > ?1;

-- GET /ords/chinook/invoice/?q={"invoice_date":{"$between":["2009-01-01","2009-01-31T23:59:59Z"]},"$orderby":{"invoice_date":"DESC","total":"ASC"}}&limit=3
-- level 0: invoice
--   1: "2009-01-01T00:00:00"
--   2: "2009-01-31T23:59:59"
--   3: "2009-01-01T00:00:00"
--   4: "2009-01-31T23:59:59"
--   5: 4
SELECT t0."InvoiceId", t0."CustomerId", t0."InvoiceDate", t0."BillingAddress", t0."BillingCity", t0."BillingState", t0."BillingCountry", t0."BillingPostalCode", t0."Total"
  FROM "main"."Invoice" AS t0
  WHERE (t0."InvoiceDate" >= duet_earliest(?1) AND t0."InvoiceDate" <= duet_latest(?2) AND duet_timestamp(t0."InvoiceDate") BETWEEN duet_timestamp(?3) AND duet_timestamp(?4))
  ORDER BY duet_timestamp(t0."InvoiceDate") DESC, t0."Total", t0."InvoiceId"
  LIMIT ?5;

-- GET /ords/chinook/customer/?q={"last_name":{"$ilike":"GON%"}}
-- level 0: customer
--   1: "GON%"
--   2: 26
SELECT t0."CustomerId", t0."FirstName", t0."LastName", t0."Company", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Phone", t0."Fax", t0."Email", t0."SupportRepId"
  FROM "main"."Customer" AS t0
  WHERE duet_ilike(t0."LastName", ?1)
  ORDER BY t0."CustomerId"
  LIMIT ?2;

-- GET /ords/chinook/artist/?q={"name":{"$ilike":"MOTÖRHEAD"}}
-- level 0: artist
--   1: "MOTÖRHEAD"
--   2: 26
SELECT t0."ArtistId", t0."Name"
  FROM "main"."Artist" AS t0
  WHERE duet_ilike(t0."Name", ?1)
  ORDER BY t0."ArtistId"
  LIMIT ?2;

-- GET /ords/chinook/employee/?q={"reports_to":{"$null":null}}
-- level 0: employee
SELECT t0."EmployeeId", t0."LastName", t0."FirstName", t0."Title", t0."ReportsTo", t0."BirthDate", t0."HireDate", t0."Address", t0."City", t0."State", t0."Country", t0."PostalCode", t0."Phone", t0."Fax", t0."Email"
  FROM "main"."Employee" AS t0
  WHERE t0."ReportsTo" IS NULL
  ORDER BY t0."EmployeeId"
  LIMIT 26;
