-- Purchase orders, lines and pieces up to {scale} × 1,000 for SQLite: the same every time, and the same as on PostgreSQL.

INSERT INTO purchase_order (id, jsonb)
  WITH RECURSIVE number(i) AS (SELECT 5001 UNION ALL SELECT i + 1 FROM number WHERE i < {scale} * 1000),
    slot(i, p) AS (SELECT i, i * 37 % 100 FROM number WHERE i <= {scale} * 1000)
  SELECT printf('00000001-0000-4000-8000-%012x', i), json_object('id', printf('00000001-0000-4000-8000-%012x', i),
         'vendor', printf('0000000b-0000-4000-8000-%012x', i * 7 % 200),
         'approved', json(CASE WHEN p NOT BETWEEN 50 AND 69 THEN 'true' ELSE 'false' END),
         'manualPo', json(CASE WHEN i % 10 = 0 THEN 'true' ELSE 'false' END), 'metadata', json_object('createdDate', strftime('%Y-%m-%dT%H:%M:%S',
         '2019-06-01', '+' || (i / 2) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'updatedDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01',
         '+' || (i / 2) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'createdByUserId', printf('0000000a-0000-4000-8000-%012x', i % 25), 'updatedByUserId', printf('0000000a-0000-4000-8000-%012x', i % 25)),
         'poNumber', CAST(9999 + i AS TEXT), 'orderType', CASE i % 5 WHEN 0 THEN 'Ongoing' ELSE 'One-Time' END,
         'assignedTo', printf('0000000a-0000-4000-8000-%012x', i * 3 % 25), 'reEncumber', json(CASE WHEN i % 10 = 5 THEN 'true' ELSE 'false' END),
         'dateOrdered', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01',
         '+' || (i / 2 + 86400) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'workflowStatus', CASE WHEN p < 50 THEN 'Open' WHEN p < 70 THEN 'Pending' ELSE 'Closed' END)
  FROM slot;

INSERT INTO po_line (id, jsonb)
  WITH RECURSIVE number(i) AS (SELECT 5001 UNION ALL SELECT i + 1 FROM number WHERE i < {scale} * 1000),
    slot(i, p) AS (SELECT i, i * 37 % 100 FROM number WHERE i <= {scale} * 1000)
  SELECT printf('00000002-0000-4000-8000-%012x', i), json_object('id', printf('00000002-0000-4000-8000-%012x', i), 'cost', json_object('currency',
         'USD', 'discountType', 'percentage', 'listUnitPrice', 10.5, 'quantityPhysical', 1, 'poLineEstimatedPrice', 10.5),
         'rush', json(CASE WHEN i % 33 = 0 THEN 'true' ELSE 'false' END),
         'title', json_extract('["kayak", "fishing", "history", "science", "river", "garden", "letters", "poetry", "mountain", "journal", "music", "atlas", "theory", "practice", "café", "naïve", "Sør", "light", "winter", "island"]', '$[' || (i % 20) || ']') || ' and ' || json_extract('["kayak", "fishing", "history", "science", "river", "garden", "letters", "poetry", "mountain", "journal", "music", "atlas", "theory", "practice", "café", "naïve", "Sør", "light", "winter", "island"]', '$[' || (i * 7 % 19) || ']') || ' ' || (i % 97), 'source', CASE i % 20 WHEN 0 THEN 'API' ELSE 'User' END, 'metadata', json_object('createdDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', '+' || (i / 2) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END, 'updatedDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', '+' || (i / 2) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END, 'createdByUserId', printf('0000000a-0000-4000-8000-%012x', i % 25), 'updatedByUserId', printf('0000000a-0000-4000-8000-%012x', i % 25)), 'publisher', 'Publisher ' || (i % 150), 'collection', json(CASE WHEN i % 20 = 3 THEN 'true' ELSE 'false' END), 'orderFormat', CASE WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical Resource' WHEN p < 35 OR p BETWEEN 60 AND 63 OR p BETWEEN 85 AND 90 THEN 'Electronic Resource' ELSE 'P/E Mix' END, 'checkinItems', json(CASE WHEN false THEN 'true' ELSE 'false' END), 'poLineNumber', CAST(9999 + i AS TEXT) || '-1', 'vendorDetail', json_object('instructions', '', 'vendorAccount', '1234'), 'paymentStatus', CASE WHEN p < 50 THEN 'Awaiting Payment' WHEN p < 70 THEN 'Pending' ELSE 'Fully Paid' END, 'receiptStatus', CASE WHEN p < 50 THEN 'Awaiting Receipt' WHEN p < 70 THEN 'Pending' ELSE 'Fully Received' END, 'purchaseOrderId', printf('00000001-0000-4000-8000-%012x', i), 'acquisitionMethod', 'Purchase')
  FROM slot;

INSERT INTO pieces (id, jsonb)
  WITH RECURSIVE number(i) AS (SELECT 5001 UNION ALL SELECT i + 1 FROM number WHERE i < {scale} * 1000),
    slot(i, p) AS (SELECT i, i * 37 % 100 FROM number WHERE i <= {scale} * 1000)
  SELECT printf('00000003-0000-4000-8000-%012x', i), json_object('id', printf('00000003-0000-4000-8000-%012x', i),
         'format', CASE WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical' ELSE 'Electronic' END, 'caption',
         'Volume ' || (1 + i % 12), 'metadata', json_object('createdDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01',
         '+' || (i / 2) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END, 'updatedDate', strftime('%Y-%m-%dT%H:%M:%S',
         '2019-06-01', '+' || (i / 2) || ' seconds') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'createdByUserId', printf('0000000a-0000-4000-8000-%012x', i % 25), 'updatedByUserId', printf('0000000a-0000-4000-8000-%012x', i % 25)),
         'poLineId', printf('00000002-0000-4000-8000-%012x', i), 'locationId', printf('0000000c-0000-4000-8000-%012x', i % 40),
         'supplement', json(CASE WHEN i % 20 = 7 THEN 'true' ELSE 'false' END),
         'receivingStatus', CASE WHEN p < 50 THEN 'Expected' ELSE 'Received' END)
  FROM slot WHERE p NOT BETWEEN 50 AND 69;

UPDATE po_number SET last_number = 9999 + {scale} * 1000 WHERE last_number < 9999 + {scale} * 1000;
