-- Purchase orders, lines and pieces up to {scale} × 1,000 for PostgreSQL: the same every time, and the same as on SQLite.

INSERT INTO purchase_order (id, jsonb)
  SELECT ('00000001-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, jsonb_build_object('id', '00000001-0000-4000-8000-' || lpad(to_hex(i), 12,
         '0'), 'vendor', '0000000b-0000-4000-8000-' || lpad(to_hex(i * 7 % 200), 12, '0'), 'approved', (p NOT BETWEEN 50 AND 69),
         'manualPo', (i % 10 = 0), 'metadata', jsonb_build_object('createdDate', to_char(timestamp '2019-06-01' + (i / 2) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'updatedDate', to_char(timestamp '2019-06-01' + (i / 2) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END, 'createdByUserId',
         '0000000a-0000-4000-8000-' || lpad(to_hex(i % 25), 12, '0'), 'updatedByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(i % 25), 12,
         '0')), 'poNumber', (9999 + i)::text, 'orderType', CASE i % 5 WHEN 0 THEN 'Ongoing' ELSE 'One-Time' END, 'assignedTo',
         '0000000a-0000-4000-8000-' || lpad(to_hex(i * 3 % 25), 12, '0'), 'reEncumber', (i % 10 = 5),
         'dateOrdered', to_char(timestamp '2019-06-01' + (i / 2 + 86400) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'workflowStatus', CASE WHEN p < 50 THEN 'Open' WHEN p < 70 THEN 'Pending' ELSE 'Closed' END)
  FROM (SELECT i, i::bigint * 37 % 100 FROM generate_series(5001, {scale} * 1000) AS number(i)) AS slot(i, p);

INSERT INTO po_line (id, jsonb)
  SELECT ('00000002-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, jsonb_build_object('id', '00000002-0000-4000-8000-' || lpad(to_hex(i), 12,
         '0'), 'cost', jsonb_build_object('currency', 'USD', 'discountType', 'percentage', 'listUnitPrice', 10.5, 'quantityPhysical', 1,
         'poLineEstimatedPrice', 10.5), 'rush', (i % 33 = 0), 'title', (ARRAY['kayak', 'fishing', 'history', 'science', 'river', 'garden',
         'letters', 'poetry', 'mountain', 'journal', 'music', 'atlas', 'theory', 'practice', 'café', 'naïve', 'Sør', 'light', 'winter',
         'island'])[1 + (i % 20)] || ' and ' || (ARRAY['kayak', 'fishing', 'history', 'science', 'river', 'garden', 'letters', 'poetry', 'mountain',
         'journal', 'music', 'atlas', 'theory', 'practice', 'café', 'naïve', 'Sør', 'light', 'winter',
         'island'])[1 + (i * 7 % 19)] || ' ' || (i % 97)::text, 'source', CASE i % 20 WHEN 0 THEN 'API' ELSE 'User' END,
         'metadata', jsonb_build_object('createdDate', to_char(timestamp '2019-06-01' + (i / 2) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'updatedDate', to_char(timestamp '2019-06-01' + (i / 2) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END, 'createdByUserId',
         '0000000a-0000-4000-8000-' || lpad(to_hex(i % 25), 12, '0'), 'updatedByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(i % 25), 12,
         '0')), 'publisher', 'Publisher ' || (i % 150)::text, 'collection', (i % 20 = 3),
         'orderFormat', CASE WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical Resource' WHEN p < 35 OR p BETWEEN 60 AND 63 OR p BETWEEN 85 AND 90 THEN 'Electronic Resource' ELSE 'P/E Mix' END, 'checkinItems', (false), 'poLineNumber', (9999 + i)::text || '-1', 'vendorDetail', jsonb_build_object('instructions', '', 'vendorAccount', '1234'), 'paymentStatus', CASE WHEN p < 50 THEN 'Awaiting Payment' WHEN p < 70 THEN 'Pending' ELSE 'Fully Paid' END, 'receiptStatus', CASE WHEN p < 50 THEN 'Awaiting Receipt' WHEN p < 70 THEN 'Pending' ELSE 'Fully Received' END, 'purchaseOrderId', '00000001-0000-4000-8000-' || lpad(to_hex(i), 12, '0'), 'acquisitionMethod', 'Purchase')
  FROM (SELECT i, i::bigint * 37 % 100 FROM generate_series(5001, {scale} * 1000) AS number(i)) AS slot(i, p);

INSERT INTO pieces (id, jsonb)
  SELECT ('00000003-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, jsonb_build_object('id', '00000003-0000-4000-8000-' || lpad(to_hex(i), 12,
         '0'), 'format', CASE WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical' ELSE 'Electronic' END, 'caption',
         'Volume ' || (1 + i % 12)::text,
         'metadata', jsonb_build_object('createdDate', to_char(timestamp '2019-06-01' + (i / 2) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END,
         'updatedDate', to_char(timestamp '2019-06-01' + (i / 2) * interval '1 second',
         'YYYY-MM-DD"T"HH24:MI:SS') || CASE i % 2 WHEN 0 THEN '.000Z' ELSE '.500Z' END, 'createdByUserId',
         '0000000a-0000-4000-8000-' || lpad(to_hex(i % 25), 12, '0'), 'updatedByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(i % 25), 12,
         '0')), 'poLineId', '00000002-0000-4000-8000-' || lpad(to_hex(i), 12, '0'), 'locationId',
         '0000000c-0000-4000-8000-' || lpad(to_hex(i % 40), 12, '0'), 'supplement', (i % 20 = 7),
         'receivingStatus', CASE WHEN p < 50 THEN 'Expected' ELSE 'Received' END)
  FROM (SELECT i, i::bigint * 37 % 100 FROM generate_series(5001, {scale} * 1000) AS number(i)) AS slot(i, p) WHERE p NOT BETWEEN 50 AND 69;

UPDATE po_number SET last_number = 9999 + {scale} * 1000 WHERE last_number < 9999 + {scale} * 1000;
