-- {scale} × 1,000 purchase orders with a line each, and the pieces of those that are not pending, for PostgreSQL: the same every time, and
-- the same as on SQLite. `b` is the number of the hundred that an order is in, `p` its place there, which decides status and format, so
-- that their shares are exact; `q1` and `q2` are exact in the same way over 5,000 orders. `r1` and so on are numbers below 1000003 that follow
-- from the number of the order.

INSERT INTO purchase_order (id, jsonb)
WITH counted AS (
    SELECT i, (i - 1) / 100 AS b, i % 1000003 AS x, (i % 1000003) * (i % 1000003) % 1000003 AS x2 FROM generate_series(1::bigint, {scale} * 1000) AS counted(i)),
  drawn AS (
    SELECT i, b, (i * 37 + b * b * 7 + b * 13) % 100 AS p,
      (x2 * 201681 + x * 811509 + 908394) % 1000003 AS r1,
      (x2 * 999618 + x * 767273 + 889737) % 1000003 AS r2,
      (x2 * 202199 + x * 57096 + 775816) % 1000003 AS r3,
      (x2 * 905756 + x * 160927 + 556394) % 1000003 AS r4
    FROM counted),
  slot AS (
    SELECT drawn.*, i * 500 + r1 % 401 AS t,
      CASE WHEN p < 50 THEN 'Open' WHEN p < 70 THEN 'Pending' ELSE 'Closed' END AS status,
      (p * 37 + b * 2) % 100 AS q1, (p * 53 + b * 6) % 100 AS q2
    FROM drawn),
  order_row AS (
    SELECT slot.*, status <> 'Pending' AS is_opened,
      lpad(to_hex((i * 2654435761 + 1013904223) % 4294967296), 8, '0') || '-' || lpad(to_hex(r2 % 65536), 4, '0') || '-4' || lpad(to_hex(r3 % 4096), 3, '0') || '-' ||
      to_hex(32768 + r4 % 16384) || '-' || lpad(to_hex(r1 * 281000000 + r2), 12, '0') AS order_id,
      to_char(date '2019-06-01' + (t / 86400000)::int, 'YYYY-MM-DD') AS created, to_char(date '2019-06-01' + (t / 86400000 + r4 % 15)::int, 'YYYY-MM-DD') AS ordered,
      to_char((t % 86400000) * interval '1 millisecond', '"T"HH24:MI:SS.MS"Z"') AS clock
    FROM slot
    OFFSET 0)
SELECT order_id::uuid, (format('{"id":"%s","tags":{"tagList":[%s]},"notes":[%s],"billTo":"%s","shipTo":"%s"' ||
    ',"vendor":"0000000b-0000-4000-8000-000000000001","approved":%s,"manualPo":%s' ||
    ',"metadata":{"createdDate":"%s","updatedDate":"%s","createdByUserId":"%s","updatedByUserId":"%s"}' ||
    ',"poNumber":"%s","orderType":"One-Time"%s,"reEncumber":false%s%s,"workflowStatus":"%s"}',
    order_id,
    CASE WHEN r4 / 15 % 4 > 0 THEN '"' || rtrim(substr('urgent     gift       approval   series     standing   rush       memorial   grant      replacementreserve    media      archive', (1 + 11 * (r4 / 60 % 12))::int, 11)) || '"' END ||
    CASE WHEN r4 / 15 % 4 > 1 THEN ',"' || rtrim(substr('urgent     gift       approval   series     standing   rush       memorial   grant      replacementreserve    media      archive', (1 + 11 * ((r4 / 60 + 5) % 12))::int, 11)) || '"' ELSE '' END ||
    CASE WHEN r4 / 15 % 4 > 2 THEN ',"' || rtrim(substr('urgent     gift       approval   series     standing   rush       memorial   grant      replacementreserve    media      archive', (1 + 11 * ((r4 / 60 + 9) % 12))::int, 11)) || '"' ELSE '' END,
    CASE WHEN r3 / 250 % 3 > 0 THEN '"' || rtrim(substr('Please expedite  Invoice to followSecond copy', (1 + 17 * (r3 / 750 % 3))::int, 17)) || '"' END ||
    CASE WHEN r3 / 250 % 3 > 1 THEN ',"' || rtrim(substr('Please expedite  Invoice to followSecond copy', (1 + 17 * ((r3 / 750 + 1) % 3))::int, 17)) || '"' ELSE '' END,
    '0000000d-0000-4000-8000-0000000000' || (10 + r3 % 5)::text,
    '0000000d-0000-4000-8000-0000000000' || (10 + r3 / 5 % 5)::text,
    CASE WHEN is_opened THEN 'true' ELSE 'false' END,
    CASE WHEN r3 / 25 % 10 = 0 THEN 'true' ELSE 'false' END,
    created || clock,
    CASE WHEN is_opened THEN ordered ELSE created END || clock,
    '0000000a-0000-4000-8000-0000000000' || (10 + r2 % 25)::text,
    '0000000a-0000-4000-8000-0000000000' || (10 + r2 % 25)::text,
    9999 + i,
    CASE WHEN r2 / 25 % 10 < 6 THEN ',"assignedTo":"' || '0000000a-0000-4000-8000-0000000000' || (10 + r2 / 250 % 25)::text || '"' END,
    CASE WHEN status = 'Closed' THEN ',"closeReason":{"note":"Closed by ' || rtrim(substr('Adams   Baker   Castro  Dahl    Evans   Fischer Garcia  Huang   Ivanov  Jensen  KowalskiLopez   Meyer   Novak   Olsen   Petrov  Quinn   Rossi   Sato    Tanaka  Ueda    Vogel   Weber   Xu      Yilmaz  Zhang   Abe     Bauer   Cohen   Diaz', (1 + 8 * (r2 / 250 % 30))::int, 8)) || '","reason":"' ||
    CASE WHEN q2 < 70 THEN 'Complete' WHEN q2 < 85 THEN 'Cancelled' WHEN q2 < 95 THEN 'Shipping delay' ELSE 'Duplicate' END || '"}' END,
    CASE WHEN is_opened THEN ',"dateOrdered":"' || ordered || clock || '"' END,
    status))::jsonb
FROM order_row;

INSERT INTO po_line (id, jsonb)
WITH counted AS (
    SELECT i, (i - 1) / 100 AS b, i % 1000003 AS x, (i % 1000003) * (i % 1000003) % 1000003 AS x2 FROM generate_series(1::bigint, {scale} * 1000) AS counted(i)),
  drawn AS (
    SELECT i, b, (i * 37 + b * b * 7 + b * 13) % 100 AS p,
      (x2 * 201681 + x * 811509 + 908394) % 1000003 AS r1,
      (x2 * 999618 + x * 767273 + 889737) % 1000003 AS r2,
      (x2 * 202199 + x * 57096 + 775816) % 1000003 AS r3,
      (x2 * 905756 + x * 160927 + 556394) % 1000003 AS r4,
      (x2 * 265386 + x * 12198 + 870473) % 1000003 AS r5,
      (x2 * 319850 + x * 797262 + 538123) % 1000003 AS r6,
      (x2 * 561780 + x * 181595 + 400902) % 1000003 AS r7,
      (x2 * 459933 + x * 181821 + 198418) % 1000003 AS r8,
      (x2 * 270258 + x * 880627 + 640411) % 1000003 AS r9,
      (x2 * 552368 + x * 743083 + 133120) % 1000003 AS r10,
      (x2 * 337959 + x * 56912 + 340601) % 1000003 AS r11,
      (x2 * 836138 + x * 684398 + 737454) % 1000003 AS r12
    FROM counted),
  slot AS (
    SELECT drawn.*, i * 500 + r1 % 401 AS t,
      CASE WHEN p < 50 THEN 'Open' WHEN p < 70 THEN 'Pending' ELSE 'Closed' END AS status,
      (p * 37 + b * 2) % 100 AS q1, (p * 53 + b * 6) % 100 AS q2
    FROM drawn),
  line_row AS (
    SELECT slot.*, status <> 'Pending' AS is_opened,
      lpad(to_hex((i * 2654435761 + 1013904223) % 4294967296), 8, '0') || '-' || lpad(to_hex(r2 % 65536), 4, '0') || '-4' || lpad(to_hex(r3 % 4096), 3, '0') || '-' ||
      to_hex(32768 + r4 % 16384) || '-' || lpad(to_hex(r1 * 281000000 + r2), 12, '0') AS order_id,
      lpad(to_hex((i * 2246822519 + 374761393) % 4294967296), 8, '0') || '-' || lpad(to_hex(r3 % 65536), 4, '0') || '-4' || lpad(to_hex(r4 % 4096), 3, '0') || '-' ||
      to_hex(32768 + r1 % 16384) || '-' || lpad(to_hex(r2 * 281000000 + r3), 12, '0') AS line_id,
      to_char(date '2019-06-01' + (t / 86400000)::int, 'YYYY-MM-DD') AS created, to_char(date '2019-06-01' + (t / 86400000 + r4 % 15)::int, 'YYYY-MM-DD') AS ordered,
      to_char((t % 86400000) * interval '1 millisecond', '"T"HH24:MI:SS.MS"Z"') AS clock,
      t / 86400000 + r4 % 15 + 14 + r11 / 16 % 107 AS due,
      CASE WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical Resource'
        WHEN p BETWEEN 25 AND 34 OR p BETWEEN 60 AND 63 OR p BETWEEN 85 AND 90 THEN 'Electronic Resource' ELSE 'P/E Mix' END AS format,
      CASE WHEN status = 'Pending' THEN 'Pending'
        WHEN status = 'Open' THEN CASE WHEN q1 < 70 THEN 'Awaiting Receipt' WHEN q1 < 85 THEN 'Partially Received'
          WHEN q1 < 95 THEN 'Fully Received' ELSE 'Receipt Not Required' END
        WHEN q1 < 80 THEN 'Fully Received' WHEN q1 < 88 THEN 'Receipt Not Required' ELSE 'Cancelled' END AS receipt,
      CASE WHEN status = 'Pending' THEN 'Pending'
        WHEN status = 'Open' THEN CASE WHEN q2 < 75 THEN 'Awaiting Payment' WHEN q2 < 90 THEN 'Partially Paid'
          WHEN q2 < 95 THEN 'Fully Paid' ELSE 'Payment Not Required' END
        WHEN q1 < 80 THEN 'Fully Paid' WHEN q1 < 88 THEN 'Payment Not Required' ELSE 'Cancelled' END AS payment
    FROM slot
    OFFSET 0),
  priced AS (
    SELECT line_row.*, to_char(date '2019-06-01' + (due)::int, 'YYYY-MM-DD') AS due_day, CASE WHEN r8 / 30 % 10 = 0 THEN 5 + r8 / 300 % 21 ELSE 0 END AS discount, r8 / 6300 % 4 = 0 AS is_extra,
      CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END * 10 * (100 - CASE WHEN r8 / 30 % 10 = 0 THEN 5 + r8 / 300 % 21 ELSE 0 END) + CASE WHEN r8 / 6300 % 4 = 0 THEN 499 ELSE 0 END AS cents
    FROM line_row
    OFFSET 0)
SELECT line_id::uuid, (format('{"id":"%s","cost":{"currency":"USD","discount":%s,"discountType":"percentage"%s,"additionalCost":%s' ||
    '%s%s,"poLineEstimatedPrice":%s.%s%s},"rush":%s%s' ||
    ',"title":"Kayak fishing in the north","alerts":[],"claims":[%s],"source":"User","details":{"productIds":[' ||
    '{"productId":"15571245","productIdType":"8261054f-be78-422d-bd51-4ed9f33c3422"}' ||
    ',{"productId":"9781561454907","productIdType":"8261054f-be78-422d-bd51-4ed9f33c3422"}' ||
    ',{"productId":"1561454907","productIdType":"8261054f-be78-422d-bd51-4ed9f33c3422"}' ||
    ',{"productId":"2008055968","productIdType":"8261054f-be78-422d-bd51-4ed9f33c3422"}' ||
    ',{"productId":"ocn294998755","productIdType":"8261054f-be78-422d-bd51-4ed9f33c3422"}' ||
    '],"receivingNote":"","subscriptionInterval":0}%s' ||
    ',"metadata":{"createdDate":"%s","updatedDate":"%s","createdByUserId":"%s","updatedByUserId":"%s"}%s%s%s' ||
    ',"locations":[{"quantity":%s,"locationId":"0000000c-0000-4000-8000-000000000001"%s%s}]%s%s,"collection":%s%s' ||
    ',"orderFormat":"%s"%s,"checkinItems":false,"contributors":[],"poLineNumber":"%s-1","vendorDetail":{%s"instructions":""' ||
    '%s,"vendorAccount":"1234"},"paymentStatus":"%s","receiptStatus":"%s","reportingCodes":[]' ||
    ',"publicationDate":"%s","purchaseOrderId":"%s"' ||
    ',"fundDistribution":[],"acquisitionMethod":"Purchase","cancellationRestriction":%s}',
    line_id,
    discount,
    CASE WHEN format <> 'Electronic Resource' THEN ',"listUnitPrice":10.0' END,
    CASE WHEN is_extra THEN '4.99' ELSE '0' END,
    CASE WHEN format <> 'Electronic Resource' THEN ',"quantityPhysical":1' END,
    CASE WHEN format <> 'Physical Resource' THEN ',"quantityElectronic":1' END,
    cents / 100,
    substr((100 + cents % 100)::text, 2),
    CASE WHEN format <> 'Physical Resource' THEN ',"listUnitPriceElectronic":10.0' END,
    CASE WHEN r9 % 100 < 3 THEN 'true' ELSE 'false' END,
    CASE WHEN r7 / 3000 % 100 < 15 THEN ',"donor":"' || rtrim(substr('Adams   Baker   Castro  Dahl    Evans   Fischer Garcia  Huang   Ivanov  Jensen  KowalskiLopez   Meyer   Novak   Olsen   Petrov  Quinn   Rossi   Sato    Tanaka  Ueda    Vogel   Weber   Xu      Yilmaz  Zhang   Abe     Bauer   Cohen   Diaz', (1 + 8 * (r8 % 30))::int, 8)) || '"' END,
    CASE WHEN r10 / 25 % 2 = 0 THEN '{"grace":' || (30 + r10 / 50 % 2 * 30)::text || ',"claimed":false}' END,
    CASE WHEN r6 % 5 = 0 THEN ',"edition":"' || (1 + r6 / 5 % 4)::text || '. ed."' END,
    created || clock,
    CASE WHEN is_opened THEN ordered ELSE created END || clock,
    '0000000a-0000-4000-8000-0000000000' || (10 + r2 % 25)::text,
    '0000000a-0000-4000-8000-0000000000' || (10 + r2 % 25)::text,
    CASE WHEN format <> 'Electronic Resource' THEN ',"physical":{"volumes":[' || CASE WHEN r11 / 8 % 2 = 0 THEN '' ELSE '"vol. 1"' END || ']' ||
      CASE WHEN is_opened THEN ',"receiptDue":"' || due_day || clock || '"' ELSE '' END ||
      ',"materialType":"' || '00000011-0000-4000-8000-0000000000' || (10 + r11 % 8)::text ||
      '","createInventory":"Instance, Holding, Item","materialSupplier":"0000000b-0000-4000-8000-000000000001"' ||
      CASE WHEN is_opened THEN ',"expectedReceiptDate":"' || due_day || clock || '"' ELSE '' END || '}' END,
    CASE WHEN r7 % 100 < 15 THEN ',"selector":"' || rtrim(substr('Adams   Baker   Castro  Dahl    Evans   Fischer Garcia  Huang   Ivanov  Jensen  KowalskiLopez   Meyer   Novak   Olsen   Petrov  Quinn   Rossi   Sato    Tanaka  Ueda    Vogel   Weber   Xu      Yilmaz  Zhang   Abe     Bauer   Cohen   Diaz', (1 + 8 * (r7 / 100 % 30))::int, 8)) || '"' END,
    CASE WHEN format <> 'Physical Resource' THEN ',"eresource":{"trial":' || CASE WHEN r12 / 400 % 20 = 0 THEN 'true' ELSE 'false' END || ',"activated":' ||
      CASE WHEN status = 'Open' AND r1 / 401 % 10 < 5 OR status = 'Closed' AND r1 / 401 % 10 < 9 THEN 'true' ELSE 'false' END ||
      ',"userLimit":' || (1 + r12 / 8 % 50)::text || ',"materialType":"' || '00000011-0000-4000-8000-0000000000' || (10 + r12 % 8)::text ||
      '","accessProvider":"0000000b-0000-4000-8000-000000000001","createInventory":"Instance, Holding","expectedActivation":"' ||
      to_char(date '2019-06-01' + (t / 86400000 + 7 + r12 / 8000 % 60)::int, 'YYYY-MM-DD') || clock || '"}' END,
    CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END,
    CASE WHEN format <> 'Electronic Resource' THEN ',"quantityPhysical":1' END,
    CASE WHEN format <> 'Physical Resource' THEN ',"quantityElectronic":1' END,
    CASE WHEN r5 % 10 < 8 THEN ',"publisher":"Publisher ' || (r5 / 10 % 150)::text || '"' END,
    CASE WHEN r6 / 20 % 100 < 15 THEN ',"requester":"' || rtrim(substr('Adams   Baker   Castro  Dahl    Evans   Fischer Garcia  Huang   Ivanov  Jensen  KowalskiLopez   Meyer   Novak   Olsen   Petrov  Quinn   Rossi   Sato    Tanaka  Ueda    Vogel   Weber   Xu      Yilmaz  Zhang   Abe     Bauer   Cohen   Diaz', (1 + 8 * (r6 / 2000 % 30))::int, 8)) || '"' END,
    CASE WHEN r9 / 100 % 20 = 0 THEN 'true' ELSE 'false' END,
    CASE WHEN r10 / 100 % 50 > 0 THEN ',"instanceId":"0000000f-0000-4000-8000-000000000001"' END,
    format,
    CASE WHEN receipt = 'Fully Received' THEN ',"receiptDate":"' || due_day || clock || '"' END,
    9999 + i,
    CASE WHEN r10 % 5 = 0 THEN '"refNumber":"REF-' || (r10)::text || '",' END,
    CASE WHEN r10 % 5 = 0 THEN ',"refNumberType":"' ||
      CASE r10 / 5 % 5 WHEN 0 THEN 'Supplier''s continuation order' WHEN 1 THEN 'Supplier''s unique order line reference number'
        WHEN 2 THEN 'Agent''s unique subscription reference number' WHEN 3 THEN 'Library''s continuation order number'
        ELSE 'Internal vendor number' END || '"' END,
    payment,
    receipt,
    1950 + r5 / 1500 % 70,
    order_id,
    CASE WHEN r9 / 2000 % 50 = 0 THEN 'true' ELSE 'false' END))::jsonb
FROM priced;

INSERT INTO pieces (id, jsonb)
WITH counted AS (
    SELECT i, (i - 1) / 100 AS b, i % 1000003 AS x, (i % 1000003) * (i % 1000003) % 1000003 AS x2 FROM generate_series(1::bigint, {scale} * 1000) AS counted(i)),
  drawn AS (
    SELECT i, b, (i * 37 + b * b * 7 + b * 13) % 100 AS p,
      (x2 * 201681 + x * 811509 + 908394) % 1000003 AS r1,
      (x2 * 999618 + x * 767273 + 889737) % 1000003 AS r2,
      (x2 * 202199 + x * 57096 + 775816) % 1000003 AS r3,
      (x2 * 905756 + x * 160927 + 556394) % 1000003 AS r4,
      (x2 * 319850 + x * 797262 + 538123) % 1000003 AS r6,
      (x2 * 337959 + x * 56912 + 340601) % 1000003 AS r11
    FROM counted),
  slot AS (
    SELECT drawn.*, i * 500 + r1 % 401 AS t,
      CASE WHEN p < 50 THEN 'Open' WHEN p < 70 THEN 'Pending' ELSE 'Closed' END AS status,
      (p * 37 + b * 2) % 100 AS q1, (p * 53 + b * 6) % 100 AS q2
    FROM drawn),
  piece_row AS (
    SELECT slot.*, status <> 'Pending' AS is_opened,
      lpad(to_hex((i * 2246822519 + 374761393) % 4294967296), 8, '0') || '-' || lpad(to_hex(r3 % 65536), 4, '0') || '-4' || lpad(to_hex(r4 % 4096), 3, '0') || '-' ||
      to_hex(32768 + r1 % 16384) || '-' || lpad(to_hex(r2 * 281000000 + r3), 12, '0') AS line_id,
      to_char(date '2019-06-01' + (t / 86400000)::int, 'YYYY-MM-DD') AS created, to_char(date '2019-06-01' + (t / 86400000 + r4 % 15)::int, 'YYYY-MM-DD') AS ordered,
      to_char((t % 86400000) * interval '1 millisecond', '"T"HH24:MI:SS.MS"Z"') AS clock,
      t / 86400000 + r4 % 15 + 14 + r11 / 16 % 107 AS due,
      CASE WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical Resource'
        WHEN p BETWEEN 25 AND 34 OR p BETWEEN 60 AND 63 OR p BETWEEN 85 AND 90 THEN 'Electronic Resource' ELSE 'P/E Mix' END AS format,
      CASE WHEN status = 'Pending' THEN 'Pending'
        WHEN status = 'Open' THEN CASE WHEN q1 < 70 THEN 'Awaiting Receipt' WHEN q1 < 85 THEN 'Partially Received'
          WHEN q1 < 95 THEN 'Fully Received' ELSE 'Receipt Not Required' END
        WHEN q1 < 80 THEN 'Fully Received' WHEN q1 < 88 THEN 'Receipt Not Required' ELSE 'Cancelled' END AS receipt,
      CASE WHEN status = 'Pending' THEN 'Pending'
        WHEN status = 'Open' THEN CASE WHEN q2 < 75 THEN 'Awaiting Payment' WHEN q2 < 90 THEN 'Partially Paid'
          WHEN q2 < 95 THEN 'Fully Paid' ELSE 'Payment Not Required' END
        WHEN q1 < 80 THEN 'Fully Paid' WHEN q1 < 88 THEN 'Payment Not Required' ELSE 'Cancelled' END AS payment
    FROM slot
    OFFSET 0),
  unit AS (
    SELECT piece_row.*, u, (r6 + u * 500009) % 1000003 AS v, u = 1 OR format = 'Electronic Resource' AS is_electronic,
      to_char(date '2019-06-01' + (due)::int, 'YYYY-MM-DD') AS due_day,
      receipt = 'Fully Received' OR receipt = 'Partially Received' AND CASE format WHEN 'P/E Mix' THEN u = 0 ELSE r6 % 2 = 0 END AS is_received
    FROM piece_row CROSS JOIN (VALUES (0), (1)) AS units(u)
    WHERE (u = 0 OR format = 'P/E Mix') AND receipt NOT IN ('Pending', 'Receipt Not Required')
    OFFSET 0),
  piece AS (
    SELECT unit.*,
      lpad(to_hex(((i * 2 + u) * 3266489917 + 668265263) % 4294967296), 8, '0') || '-' || lpad(to_hex(v % 65536), 4, '0') || '-4' || lpad(to_hex(r1 % 4096), 3, '0') || '-' ||
      to_hex(32768 + r2 % 16384) || '-' || lpad(to_hex(r3 * 281000000 + v), 12, '0') AS piece_id,
      lpad(to_hex(((i * 2 + u) * 2654435761 + 668265263) % 4294967296), 8, '0') || '-' || lpad(to_hex(r4 % 65536), 4, '0') || '-4' || lpad(to_hex(v % 4096), 3, '0') || '-' ||
      to_hex(32768 + r3 % 16384) || '-' || lpad(to_hex(r1 * 281000000 + r4), 12, '0') AS item_id
    FROM unit OFFSET 0)
SELECT piece_id::uuid, (format('{"id":"%s","format":"%s"%s%s%s' ||
    ',"metadata":{"createdDate":"%s","updatedDate":"%s","createdByUserId":"%s","updatedByUserId":"%s"}' ||
    ',"poLineId":"%s","locationId":"0000000c-0000-4000-8000-000000000001","supplement":%s%s,"receivingStatus":"%s"}',
    piece_id,
    CASE WHEN is_electronic THEN 'Electronic' ELSE 'Physical' END,
    CASE WHEN NOT is_electronic AND receipt <> 'Cancelled' THEN ',"itemId":"' || item_id || '"' END,
    CASE WHEN v % 10 < 6 THEN ',"caption":"Volume ' || (1 + v / 1000 % 12)::text || '"' END,
    CASE WHEN v / 10 % 5 = 0 THEN ',"comment":"Received in good order"' END,
    ordered || clock,
    CASE WHEN is_received THEN due_day ELSE ordered END || clock,
    '0000000a-0000-4000-8000-0000000000' || (10 + r2 % 25)::text,
    '0000000a-0000-4000-8000-0000000000' || (10 + r2 % 25)::text,
    line_id,
    CASE WHEN v / 50 % 20 = 0 THEN 'true' ELSE 'false' END,
    CASE WHEN is_received THEN ',"receivedDate":"' || due_day || clock || '"' END,
    CASE WHEN is_received THEN 'Received' ELSE 'Expected' END))::jsonb
FROM piece;

UPDATE po_number SET last_number = 9999 + {scale} * 1000 WHERE last_number < 9999 + {scale} * 1000;
