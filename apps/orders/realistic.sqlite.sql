-- {scale} × 1,000 purchase orders of varied values, with 1 to 7 lines each, and the pieces of those that are not pending, for SQLite: the
-- same every time, and the same as on PostgreSQL. `r1` and so on are numbers below 1000003 that follow from the number of the row.

INSERT INTO purchase_order (id, jsonb)
WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < {scale} * 1000),
  slot AS (
    SELECT i, i * 37 % 100 AS p, ((i % 1000003) * (i % 1000003) % 1000003 * 128486 + (i % 1000003) * 943269 + 905494) % 1000003 AS r1, ((i % 1000003)
    * (i % 1000003) % 1000003 * 249053 + (i % 1000003) * 429084 + 358238) % 1000003 AS r2, ((i % 1000003) * (i % 1000003) % 1000003 * 369620 + (i %
    1000003) * 914902 + 810985) % 1000003 AS r3, ((i % 1000003) * (i % 1000003) % 1000003 * 490187 + (i % 1000003) * 400717 + 263729) % 1000003 AS
    r4, ((i % 1000003) * (i % 1000003) % 1000003 * 610754 + (i % 1000003) * 886535 + 716476) % 1000003 AS r5, ((i % 1000003) * (i % 1000003) %
    1000003 * 731321 + (i % 1000003) * 372350 + 169220) % 1000003 AS r6, ((i % 1000003) * (i % 1000003) % 1000003 * 851888 + (i % 1000003) * 858168 +
    621967) % 1000003 AS r7, ((i % 1000003) * (i % 1000003) % 1000003 * 972455 + (i % 1000003) * 343983 + 74711) % 1000003 AS r8, ((i % 1000003) * (i
    % 1000003) % 1000003 * 93019 + (i % 1000003) * 829801 + 527458) % 1000003 AS r9, ((i % 1000003) * (i % 1000003) % 1000003 * 213586 + (i %
    1000003) * 315616 + 980205) % 1000003 AS r10, ((i % 1000003) * (i % 1000003) % 1000003 * 334153 + (i % 1000003) * 801434 + 432949) % 1000003 AS
    r11, ((i % 1000003) * (i % 1000003) % 1000003 * 454720 + (i % 1000003) * 287249 + 885696) % 1000003 AS r12
    FROM number)
SELECT (printf('00000001-0000-4000-8000-%012x', i)), json_patch('{}', json_object('id', printf('00000001-0000-4000-8000-%012x', i), 'tags',
    json_object('tagList', CASE r10 % 4 WHEN 0 THEN json_array() WHEN 1 THEN
    json_array(json_extract('["urgent", "gift", "approval", "series", "standing", "rush", "memorial", "grant", "replacement", "reserve", "media", "archive"]',
    '$[' || (r11 % 12) || ']')) WHEN 2 THEN
    json_array(json_extract('["urgent", "gift", "approval", "series", "standing", "rush", "memorial", "grant", "replacement", "reserve", "media", "archive"]',
    '$[' || (r11 % 12) || ']'),
    json_extract('["urgent", "gift", "approval", "series", "standing", "rush", "memorial", "grant", "replacement", "reserve", "media", "archive"]',
    '$[' || ((r11 + 5) % 12) || ']')) ELSE
    json_array(json_extract('["urgent", "gift", "approval", "series", "standing", "rush", "memorial", "grant", "replacement", "reserve", "media", "archive"]',
    '$[' || (r11 % 12) || ']'),
    json_extract('["urgent", "gift", "approval", "series", "standing", "rush", "memorial", "grant", "replacement", "reserve", "media", "archive"]',
    '$[' || ((r11 + 1) % 12) || ']'),
    json_extract('["urgent", "gift", "approval", "series", "standing", "rush", "memorial", "grant", "replacement", "reserve", "media", "archive"]',
    '$[' || ((r11 + 4) % 12) || ']')) END), 'notes', CASE r9 % 3 WHEN 0 THEN
    json_array(json_extract('["Please expedite", "Invoice to follow", "Second copy"]', '$[' || (r10 % 3) || ']')) WHEN 1 THEN
    json_array(json_extract('["Please expedite", "Invoice to follow", "Second copy"]', '$[' || (r10 % 3) || ']'),
    json_extract('["Please expedite", "Invoice to follow", "Second copy"]', '$[' || ((r10 + 1) % 3) || ']')) END, 'billTo',
    printf('0000000d-0000-4000-8000-%012x', r11 % 5), 'shipTo', printf('0000000d-0000-4000-8000-%012x', r12 % 5), 'vendor',
    printf('0000000b-0000-4000-8000-%012x', r8 * r8 / 1000003 * 200 / 1000003), 'renewal', CASE WHEN r7 % 5 = 0 THEN json_object('cycle',
    json_extract('["Two Years", "One Year", "3 Months", "6 Months", "1 Month", "Manual"]', '$[' || (r10 % 6) || ']'), 'interval', 30 + r11 % 701,
    'renewalDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (r1 % 1095 * 86400 + 28800 + r2 % 36000 + (r12 % 730 - 365) * 86400) || ' seconds') ||
    '.' || printf('%03d', r3 % 1000) || 'Z', 'reviewPeriod', 15 + r12 % 46, 'manualRenewal', json(CASE WHEN r11 % 10 < 3 THEN 'true' ELSE 'false'
    END)) END, 'approved', json(CASE WHEN NOT (p BETWEEN 50 AND 69) THEN 'true' ELSE 'false' END), 'manualPo', json(CASE WHEN r9 % 10 = 0 THEN 'true'
    ELSE 'false' END), 'metadata', json_object('createdDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (r1 % 1095 * 86400 + 28800 + r2 % 36000) ||
    ' seconds') || '.' || printf('%03d', r3 % 1000) || 'Z', 'updatedDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (r1 % 1095 * 86400 + 28800 +
    r2 % 36000 + r4 % 864000) || ' seconds') || '.' || printf('%03d', r3 % 1000) || 'Z', 'createdByUserId', printf('0000000a-0000-4000-8000-%012x',
    r5 % 25), 'updatedByUserId', printf('0000000a-0000-4000-8000-%012x', r5 % 25)), 'poNumber', CASE WHEN r6 % 20 = 0 THEN 'AB' || CAST(9999 + i AS
    TEXT) || 'XYZ' ELSE CAST(9999 + i AS TEXT) END, 'orderType', CASE WHEN r7 % 5 = 0 THEN 'Ongoing' ELSE 'One-Time' END, 'assignedTo', CASE WHEN r12
    % 10 < 6 THEN printf('0000000a-0000-4000-8000-%012x', r11 % 25) END, 'reEncumber', json(CASE WHEN r7 % 5 = 0 AND r12 % 2 = 0 THEN 'true' ELSE
    'false' END), 'closeReason', CASE WHEN p >= 70 THEN json_object('note', 'Closed by ' ||
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r11 % 30) || ']'), 'reason', CASE WHEN r4 % 100 < 70 THEN 'Complete' WHEN r4 % 100 < 85 THEN 'Cancelled' WHEN r4 % 100 < 95 THEN
    'Shipping delay' ELSE 'Duplicate' END) END, 'dateOrdered', CASE WHEN NOT (p BETWEEN 50 AND 69) THEN strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01',
    (r1 % 1095 * 86400 + 28800 + r2 % 36000 + r12 % 15 * 86400) || ' seconds') || '.' || printf('%03d', r3 % 1000) || 'Z' END, 'workflowStatus', CASE
    WHEN p < 50 THEN 'Open' WHEN p BETWEEN 50 AND 69 THEN 'Pending' ELSE 'Closed' END))
FROM slot;

INSERT INTO po_line (id, jsonb)
WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < {scale} * 1000),
  slot AS (
    SELECT i, i * 37 % 100 AS p, ((i % 1000003) * (i % 1000003) % 1000003 * 128486 + (i % 1000003) * 943269 + 905494) % 1000003 AS r1, ((i % 1000003)
    * (i % 1000003) % 1000003 * 249053 + (i % 1000003) * 429084 + 358238) % 1000003 AS r2, ((i % 1000003) * (i % 1000003) % 1000003 * 369620 + (i %
    1000003) * 914902 + 810985) % 1000003 AS r3, ((i % 1000003) * (i % 1000003) % 1000003 * 490187 + (i % 1000003) * 400717 + 263729) % 1000003 AS
    r4, ((i % 1000003) * (i % 1000003) % 1000003 * 610754 + (i % 1000003) * 886535 + 716476) % 1000003 AS r5, ((i % 1000003) * (i % 1000003) %
    1000003 * 731321 + (i % 1000003) * 372350 + 169220) % 1000003 AS r6, ((i % 1000003) * (i % 1000003) % 1000003 * 851888 + (i % 1000003) * 858168 +
    621967) % 1000003 AS r7, ((i % 1000003) * (i % 1000003) % 1000003 * 972455 + (i % 1000003) * 343983 + 74711) % 1000003 AS r8, ((i % 1000003) * (i
    % 1000003) % 1000003 * 93019 + (i % 1000003) * 829801 + 527458) % 1000003 AS r9, ((i % 1000003) * (i % 1000003) % 1000003 * 213586 + (i %
    1000003) * 315616 + 980205) % 1000003 AS r10, ((i % 1000003) * (i % 1000003) % 1000003 * 334153 + (i % 1000003) * 801434 + 432949) % 1000003 AS
    r11, ((i % 1000003) * (i % 1000003) % 1000003 * 454720 + (i % 1000003) * 287249 + 885696) % 1000003 AS r12
    FROM number),
  seeded AS (
    SELECT i, p, k, CASE WHEN r6 % 20 = 0 THEN 'AB' || CAST(9999 + i AS TEXT) || 'XYZ' ELSE CAST(9999 + i AS TEXT) END AS order_number, r7 % 5 = 0 AS
    is_ongoing, r1 % 1095 * 86400 + 28800 + r2 % 36000 AS created_s, printf('%03d', r3 % 1000) AS ms, (i * 7 + k) % 1000003 AS x FROM slot CROSS JOIN
    (SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) AS counted
    WHERE k <= CASE WHEN r4 % 1000 < 223 THEN 1 WHEN r4 % 1000 < 558 THEN 2 WHEN r4 % 1000 < 809 THEN 3 WHEN r4 % 1000 < 934 THEN 4 WHEN r4 % 1000 <
    981 THEN 5 WHEN r4 % 1000 < 996 THEN 6 ELSE 7 END),
  drawn AS (
    SELECT i, p, k, order_number, is_ongoing, created_s, ms, ((x) * (x) % 1000003 * 539820 + (x) * 659599 + 960407) % 1000003 AS r1, ((x) * (x) %
    1000003 * 660387 + (x) * 145414 + 413151) % 1000003 AS r2, ((x) * (x) % 1000003 * 780954 + (x) * 631232 + 865898) % 1000003 AS r3, ((x) * (x) %
    1000003 * 901521 + (x) * 117047 + 318642) % 1000003 AS r4, ((x) * (x) % 1000003 * 22085 + (x) * 602865 + 771389) % 1000003 AS r5, ((x) * (x) %
    1000003 * 142652 + (x) * 88680 + 224133) % 1000003 AS r6, ((x) * (x) % 1000003 * 263219 + (x) * 574498 + 676880) % 1000003 AS r7, ((x) * (x) %
    1000003 * 383786 + (x) * 60313 + 129624) % 1000003 AS r8, ((x) * (x) % 1000003 * 504353 + (x) * 546131 + 582371) % 1000003 AS r9, ((x) * (x) %
    1000003 * 624920 + (x) * 31946 + 35115) % 1000003 AS r10, ((x) * (x) % 1000003 * 745487 + (x) * 517764 + 487862) % 1000003 AS r11, ((x) * (x) %
    1000003 * 866054 + (x) * 3579 + 940609) % 1000003 AS r12, ((x) * (x) % 1000003 * 986621 + (x) * 489397 + 393353) % 1000003 AS r13, ((x) * (x) %
    1000003 * 107185 + (x) * 975215 + 846100) % 1000003 AS r14
    FROM seeded),
  line AS (
    SELECT drawn.*, CASE WHEN k > 1 AND r1 % 50 = 0 THEN 'Other' WHEN k > 1 AND r1 % 100 < 50 THEN 'Physical Resource' WHEN k > 1 AND r1 % 100 < 70
    THEN 'Electronic Resource' WHEN k > 1 THEN 'P/E Mix' WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical Resource' WHEN p <
    35 OR p BETWEEN 60 AND 63 OR p BETWEEN 85 AND 90 THEN 'Electronic Resource' ELSE 'P/E Mix' END AS format, CASE WHEN p BETWEEN 50 AND 69 THEN
    'Pending' WHEN p < 50 AND r2 % 100 < 70 THEN 'Awaiting Receipt' WHEN p < 50 AND r2 % 100 < 85 THEN 'Partially Received' WHEN p < 50 AND r2 % 100
    < 95 THEN 'Fully Received' WHEN p < 50 THEN 'Receipt Not Required' WHEN r2 % 100 < 80 THEN 'Fully Received' WHEN r2 % 100 < 88 THEN
    'Receipt Not Required' ELSE 'Cancelled' END AS receipt, CASE WHEN p BETWEEN 50 AND 69 THEN 'Pending' WHEN p < 50 AND r3 % 100 < 75 THEN
    'Awaiting Payment' WHEN p < 50 AND r3 % 100 < 90 THEN 'Partially Paid' WHEN p < 50 AND r3 % 100 < 95 THEN 'Fully Paid' WHEN p < 50 THEN
    'Payment Not Required' WHEN r2 % 100 < 80 THEN 'Fully Paid' WHEN r2 % 100 < 88 THEN 'Payment Not Required' ELSE 'Cancelled' END AS payment, 1 +
    r7 % 4 AS quantity, 199 + r4 % 3300 + r5 % 1700 * (1 + r6 % 8 / 7 * (r5 % 28)) AS cents, r13 % 10 = 0 AND r4 % 3300 > 2400 AS is_amount, 1 + r6 %
    3 AS spread, CASE r8 % 20 WHEN 0 THEN 'None' WHEN 1 THEN 'Instance' WHEN 2 THEN 'Instance, Holding' ELSE 'Instance, Holding, Item' END AS
    inventory, CASE r9 % 20 WHEN 0 THEN 'None' WHEN 1 THEN 'Instance' WHEN 2 THEN 'Instance, Holding, Item' ELSE 'Instance, Holding' END AS online
    FROM drawn)
SELECT (printf('00000002-0000-4000-8000-%012x', i * 100 + k)), json_patch('{}', json_object('id', printf('00000002-0000-4000-8000-%012x', i * 100 +
    k), 'cost', json_object('currency', CASE WHEN r9 % 100 < 80 THEN 'USD' WHEN r9 % 100 < 92 THEN 'EUR' ELSE 'GBP' END, 'discount', (CASE WHEN r13 %
    10 = 0 THEN 5 + r14 % 21 ELSE 0 END), 'discountType', CASE WHEN is_amount THEN 'amount' ELSE 'percentage' END, 'listUnitPrice', CASE WHEN format
    <> 'Electronic Resource' THEN
    json(printf('%d.%02d', (cents) / 100, (cents) % 100)) END, 'additionalCost', json(printf('%d.%02d', ((CASE WHEN r13 % 5 = 1 THEN 499 ELSE 0 END))
    / 100, ((CASE WHEN r13 % 5 = 1 THEN 499 ELSE 0 END)) % 100)), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN quantity END,
    'quantityElectronic', CASE WHEN format IN ('Electronic Resource', 'P/E Mix') THEN quantity END, 'poLineEstimatedPrice', json(printf('%d.%02d',
    (quantity * cents * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) - CASE WHEN is_amount THEN (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0
    END) * 100 ELSE (quantity * cents * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) * (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0 END) + 50)
    / 100 END + (CASE WHEN r13 % 5 = 1 THEN 499 ELSE 0 END)) / 100, (quantity * cents * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) - CASE WHEN
    is_amount THEN (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0 END) * 100 ELSE (quantity * cents * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1
    END) * (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0 END) + 50) / 100 END + (CASE WHEN r13 % 5 = 1 THEN 499 ELSE 0 END)) % 100)),
    'listUnitPriceElectronic', CASE WHEN format IN ('Electronic Resource',
    'P/E Mix') THEN json(printf('%d.%02d', (cents) / 100, (cents) % 100)) END), 'rush', json(CASE WHEN r1 % 100 < 3 THEN 'true' ELSE 'false' END),
    'donor', CASE WHEN r4 % 100 < 15 THEN
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r12 % 30) || ']') END, 'title',
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 3 + r9 * 1 + 0) % 1000003) * ((r8 * 3 + r9 * 1 + 0) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 3 + r9 * 1 + 0) % 1000003) * ((r8 * 3 + r9 * 1 + 0) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 3 + r9 * 1 + 0) % 1000003) * ((r8 * 3 + r9 * 1
    + 0) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') || ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 5 + r9 * 2 + 7919) % 1000003) * ((r8 * 5 + r9 * 2 + 7919) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 5 + r9 * 2 + 7919) % 1000003) * ((r8 * 5 + r9 * 2 + 7919) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 5 + r9 * 2 + 7919) % 1000003) * ((r8 * 5 + r9
    * 2 + 7919) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') || CASE WHEN r10 % 8 >= 1 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 7 + r9 * 3 + 31676) % 1000003) * ((r8 * 7 + r9 * 3 + 31676) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 7 + r9 * 3 + 31676) % 1000003) * ((r8 * 7 + r9 * 3 + 31676) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 7 + r9 * 3 + 31676) % 1000003) * ((r8 * 7 + r9
    * 3 + 31676) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r10 % 8 >= 2 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 9 + r9 * 4 + 71271) % 1000003) * ((r8 * 9 + r9 * 4 + 71271) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 9 + r9 * 4 + 71271) % 1000003) * ((r8 * 9 + r9 * 4 + 71271) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 9 + r9 * 4 + 71271) % 1000003) * ((r8 * 9 + r9
    * 4 + 71271) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r10 % 8 >= 3 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 11 + r9 * 5 + 126704) % 1000003) * ((r8 * 11 + r9 * 5 + 126704) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 11 + r9 * 5 + 126704) % 1000003) * ((r8 * 11 + r9 * 5 + 126704) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 11 + r9 * 5 + 126704) % 1000003) * ((r8 * 11 +
    r9 * 5 + 126704) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r10 % 8 >= 4 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 13 + r9 * 6 + 197975) % 1000003) * ((r8 * 13 + r9 * 6 + 197975) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 13 + r9 * 6 + 197975) % 1000003) * ((r8 * 13 + r9 * 6 + 197975) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 13 + r9 * 6 + 197975) % 1000003) * ((r8 * 13 +
    r9 * 6 + 197975) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r10 % 8 >= 5 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 15 + r9 * 7 + 285084) % 1000003) * ((r8 * 15 + r9 * 7 + 285084) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 15 + r9 * 7 + 285084) % 1000003) * ((r8 * 15 + r9 * 7 + 285084) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 15 + r9 * 7 + 285084) % 1000003) * ((r8 * 15 +
    r9 * 7 + 285084) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r10 % 8 >= 6 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 17 + r9 * 8 + 388031) % 1000003) * ((r8 * 17 + r9 * 8 + 388031) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 17 + r9 * 8 + 388031) % 1000003) * ((r8 * 17 + r9 * 8 + 388031) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 17 + r9 * 8 + 388031) % 1000003) * ((r8 * 17 +
    r9 * 8 + 388031) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r10 % 8 >= 7 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || ((((r8 * 19 + r9 * 9 + 506816) % 1000003) * ((r8 * 19 + r9 * 9 + 506816) % 1000003) / 1000003 * 4000 / 1000003) % 20) || ']') ||
    json_extract('["a", "e", "i", "o", "u", "an", "en", "in", "on", "un", "ar", "er", "ir", "or", "ur", "al", "el", "il", "ol", "ul"]', '$[' ||
    ((((r8 * 19 + r9 * 9 + 506816) % 1000003) * ((r8 * 19 + r9 * 9 + 506816) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20) || ']') ||
    json_extract('["de", "dle", "ge", "ka", "ling", "ma", "ness", "ra", "ta", "ve"]', '$[' || ((((r8 * 19 + r9 * 9 + 506816) % 1000003) * ((r8 * 19 +
    r9 * 9 + 506816) % 1000003) / 1000003 * 4000 / 1000003) / 400) || ']') ELSE '' END || CASE WHEN r11 % 100 < 8 THEN ' ' ||
    json_extract('["café", "Ærø", "naïve", "señor", "Łódź", "über", "façade", "Sørensen"]', '$[' || (r12 % 8) || ']') WHEN r11 % 100 < 13 THEN ' ' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || (r12 % 20) || ']') || '-' ||
    json_extract('["ar", "ben", "cal", "dor", "el", "fen", "gar", "hol", "in", "jor", "kal", "lem", "mor", "nor", "os", "per", "qui", "ros", "sil", "tor"]',
    '$[' || (r12 / 20 % 20) || ']') WHEN r11 % 100 < 16 THEN ' ' ||
    json_extract('["\"Selected\"", "100%", "a_b", "star*", "why?", "back\\slash", "it''s"]', '$[' || (r12 % 7) || ']') ELSE '' END, 'alerts',
    json_array(), 'claims', CASE r5 % 10 WHEN 0 THEN json_array(json_object('grace', 30 + r6 % 2 * 30, 'claimed', json(CASE WHEN 1 = 0 THEN 'true'
    ELSE 'false' END))) END, 'source', CASE WHEN r13 % 100 < 85 THEN 'User' WHEN r13 % 100 < 95 THEN 'API' WHEN r13 % 100 < 98 THEN 'EDI' ELSE 'MARC'
    END, 'details', json_object('productIds', CASE r11 % 3 WHEN 0 THEN json_array(json_object('productId', '978' || printf('%09d', (r8 * 997 + r9) %
    1000000000) || CAST((10 - (38 + 3 * ((r8 * 997 + r9) % 1000000000 / 100000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10000000 % 10) + 3 *
    ((r8 * 997 + r9) % 1000000000 / 1000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 100000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 10000 %
    10) + 1 * ((r8 * 997 + r9) % 1000000000 / 1000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 100 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10 %
    10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1 % 10)) % 10) % 10 AS TEXT), 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422')) WHEN 1 THEN
    json_array(json_object('productId', '978' || printf('%09d', (r8 * 997 + r9) % 1000000000) || CAST((10 - (38 + 3 * ((r8 * 997 + r9) % 1000000000 /
    100000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10000000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1000000 % 10) + 1 * ((r8 * 997 + r9) %
    1000000000 / 100000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 10000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 1000 % 10) + 3 * ((r8 * 997 +
    r9) % 1000000000 / 100 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1 % 10)) % 10) % 10 AS TEXT),
    'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422'), json_object('productId', '978' || printf('%09d', (r9 * 991 + r10) % 1000000000) ||
    CAST((10 - (38 + 3 * ((r9 * 991 + r10) % 1000000000 / 100000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10000000 % 10) + 3 * ((r9 * 991 +
    r10) % 1000000000 / 1000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 100000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 10000 % 10) + 1 *
    ((r9 * 991 + r10) % 1000000000 / 1000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 100 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10 % 10) + 3
    * ((r9 * 991 + r10) % 1000000000 / 1 % 10)) % 10) % 10 AS TEXT), 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422')) ELSE
    json_array(json_object('productId', '978' || printf('%09d', (r8 * 997 + r9) % 1000000000) || CAST((10 - (38 + 3 * ((r8 * 997 + r9) % 1000000000 /
    100000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10000000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1000000 % 10) + 1 * ((r8 * 997 + r9) %
    1000000000 / 100000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 10000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 1000 % 10) + 3 * ((r8 * 997 +
    r9) % 1000000000 / 100 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1 % 10)) % 10) % 10 AS TEXT),
    'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422'), json_object('productId', '978' || printf('%09d', (r9 * 991 + r10) % 1000000000) ||
    CAST((10 - (38 + 3 * ((r9 * 991 + r10) % 1000000000 / 100000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10000000 % 10) + 3 * ((r9 * 991 +
    r10) % 1000000000 / 1000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 100000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 10000 % 10) + 1 *
    ((r9 * 991 + r10) % 1000000000 / 1000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 100 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10 % 10) + 3
    * ((r9 * 991 + r10) % 1000000000 / 1 % 10)) % 10) % 10 AS TEXT), 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422'),
    json_object('productId', substr(printf('%07d', (r10 * 9 + r11) % 10000000), 1, 4) || '-' || substr(printf('%07d', (r10 * 9 + r11) % 10000000), 5,
    3) || CASE (11 - (8 * ((r10 * 9 + r11) % 10000000 / 1000000 % 10) + 7 * ((r10 * 9 + r11) % 10000000 / 100000 % 10) + 6 * ((r10 * 9 + r11) %
    10000000 / 10000 % 10) + 5 * ((r10 * 9 + r11) % 10000000 / 1000 % 10) + 4 * ((r10 * 9 + r11) % 10000000 / 100 % 10) + 3 * ((r10 * 9 + r11) %
    10000000 / 10 % 10) + 2 * ((r10 * 9 + r11) % 10000000 / 1 % 10)) % 11) % 11 WHEN 10 THEN 'X' ELSE CAST((11 - (8 * ((r10 * 9 + r11) % 10000000 /
    1000000 % 10) + 7 * ((r10 * 9 + r11) % 10000000 / 100000 % 10) + 6 * ((r10 * 9 + r11) % 10000000 / 10000 % 10) + 5 * ((r10 * 9 + r11) % 10000000
    / 1000 % 10) + 4 * ((r10 * 9 + r11) % 10000000 / 100 % 10) + 3 * ((r10 * 9 + r11) % 10000000 / 10 % 10) + 2 * ((r10 * 9 + r11) % 10000000 / 1 %
    10)) % 11) % 11 AS TEXT) END, 'productIdType', '913300b2-03ed-469a-8179-c1092c991227')) END, 'receivingNote', '',
    'subscriptionTo', CASE WHEN is_ongoing THEN strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + 31536000) || ' seconds') || '.' || ms || 'Z'
    END, 'subscriptionFrom', CASE WHEN is_ongoing THEN strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s) || ' seconds') || '.' || ms || 'Z'
    END, 'subscriptionInterval', CASE WHEN is_ongoing THEN 365 ELSE 0 END), 'edition', CASE WHEN r6 % 5 = 0 THEN CAST(1 + r6 % 4 AS TEXT) || '. ed.'
    END, 'metadata', json_object('createdDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s) || ' seconds') || '.' || ms || 'Z',
    'updatedDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + r6 % 864000) || ' seconds') || '.' || ms || 'Z', 'createdByUserId',
    printf('0000000a-0000-4000-8000-%012x', r5 % 25), 'updatedByUserId', printf('0000000a-0000-4000-8000-%012x', r5 % 25)), 'physical', CASE WHEN
    format <> 'Electronic Resource' THEN json_object('volumes', CASE r10 % 2 WHEN 0 THEN json_array() ELSE json_array('vol. 1') END, 'receiptDue',
    strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + (14 + r11 % 107) * 86400) || ' seconds') || '.' || ms || 'Z', 'materialType',
    printf('00000011-0000-4000-8000-%012x', r10 % 8), 'createInventory', inventory, 'materialSupplier',
    printf('0000000b-0000-4000-8000-%012x', r11 % 200), 'expectedReceiptDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + (14 + r11 %
    107) * 86400) || ' seconds') || '.' || ms || 'Z') END, 'selector', CASE WHEN r3 % 100 < 15 THEN
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r11 % 30) || ']') END, 'eresource', CASE WHEN format IN ('Electronic Resource', 'P/E Mix') THEN json_object('trial', json(CASE WHEN r12
    % 20 = 0 THEN 'true' ELSE 'false' END), 'activated', json(CASE WHEN p >= 70 AND r10 % 10 < 9 OR p < 50 AND r10 % 2 = 0 THEN 'true' ELSE 'false'
    END), 'userLimit', 1 + r12 % 50, 'materialType', printf('00000011-0000-4000-8000-%012x', r12 % 8), 'accessProvider',
    printf('0000000b-0000-4000-8000-%012x', r11 % 200), 'createInventory', online, 'expectedActivation', strftime('%Y-%m-%dT%H:%M:%S',
    '2019-06-01', (created_s + (7 + r12 % 60) * 86400) || ' seconds') || '.' || ms || 'Z') END, 'locations', CASE WHEN spread = 1 OR quantity * (CASE
    format WHEN 'P/E Mix' THEN 2 ELSE 1 END) = 1 THEN json_array(json_patch('{}', json_object('quantity', (quantity * (CASE format WHEN 'P/E Mix'
    THEN 2 ELSE 1 END) + spread - 1) / spread, 'locationId', printf('0000000c-0000-4000-8000-%012x', (r13 + 0) % 40), 'quantityPhysical', CASE WHEN
    format <> 'Electronic Resource' THEN (quantity + spread - 1) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN
    (quantity + spread - 1) / spread WHEN 'P/E Mix' THEN (quantity * 2 + spread - 1) / spread - (quantity + spread - 1) / spread END))) WHEN spread =
    2 OR quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) = 2 THEN json_array(json_patch('{}', json_object('quantity', (quantity * (CASE
    format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 1) / spread, 'locationId', printf('0000000c-0000-4000-8000-%012x', (r13 + 0) % 40),
    'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN (quantity + spread - 1) / spread END, 'quantityElectronic', CASE format WHEN
    'Electronic Resource' THEN (quantity + spread - 1) / spread WHEN 'P/E Mix' THEN (quantity * 2 + spread - 1) / spread - (quantity + spread - 1) /
    spread END)), json_patch('{}', json_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 2) / spread,
    'locationId', printf('0000000c-0000-4000-8000-%012x', (r13 + 7) % 40), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN
    (quantity + spread - 2) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 2) / spread WHEN
    'P/E Mix' THEN (quantity * 2 + spread - 2) / spread - (quantity + spread - 2) / spread END))) ELSE json_array(json_patch('{}',
    json_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 1) / spread, 'locationId',
    printf('0000000c-0000-4000-8000-%012x', (r13 + 0) % 40), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN (quantity + spread -
    1) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 1) / spread WHEN 'P/E Mix' THEN (quantity
    * 2 + spread - 1) / spread - (quantity + spread - 1) / spread END)), json_patch('{}', json_object('quantity', (quantity * (CASE format WHEN
    'P/E Mix' THEN 2 ELSE 1 END) + spread - 2) / spread, 'locationId', printf('0000000c-0000-4000-8000-%012x', (r13 + 7) % 40), 'quantityPhysical',
    CASE WHEN format <> 'Electronic Resource' THEN (quantity + spread - 2) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource'
    THEN (quantity + spread - 2) / spread WHEN 'P/E Mix' THEN (quantity * 2 + spread - 2) / spread - (quantity + spread - 2) / spread END)),
    json_patch('{}', json_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 3) / spread, 'locationId',
    printf('0000000c-0000-4000-8000-%012x', (r13 + 14) % 40), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN (quantity + spread -
    3) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 3) / spread WHEN 'P/E Mix' THEN (quantity
    * 2 + spread - 3) / spread - (quantity + spread - 3) / spread END))) END, 'publisher', CASE
    WHEN r3 % 10 < 8 THEN 'Publisher ' || CAST(r4 % 150 AS TEXT) END, 'requester', CASE WHEN r2 % 100 < 15 THEN
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r10 % 30) || ']') END, 'collection', json(CASE WHEN r2 % 20 = 3 THEN 'true' ELSE 'false' END), 'instanceId', CASE WHEN r12 % 50 > 0 THEN
    printf('0000000f-0000-4000-8000-%012x', (r8 * 997 + r9) % 1000000007) END, 'orderFormat', format, 'receiptDate', CASE WHEN receipt =
    'Fully Received' THEN strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + (14 + r11 % 107) * 86400) || ' seconds') || '.' || ms || 'Z' END,
    'checkinItems', json(CASE WHEN is_ongoing AND r3 % 20 = 0 THEN 'true' ELSE 'false' END), 'contributors', CASE r7 % 4 WHEN 0 THEN json_array()
    WHEN 1 THEN json_array(json_object('contributor',
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r8 % 30) || ']') || ', A.', 'contributorNameTypeId', printf('00000010-0000-4000-8000-%012x', r8 % 3))) WHEN 2 THEN
    json_array(json_object('contributor',
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r8 % 30) || ']') || ', B.', 'contributorNameTypeId', printf('00000010-0000-4000-8000-%012x', r8 % 3)), json_object('contributor',
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r9 % 30) || ']') || ', C.', 'contributorNameTypeId', printf('00000010-0000-4000-8000-%012x', r9 % 3))) ELSE
    json_array(json_object('contributor',
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r8 % 30) || ']') || ', B.', 'contributorNameTypeId', printf('00000010-0000-4000-8000-%012x', r8 % 3)), json_object('contributor',
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r9 % 30) || ']') || ', C.', 'contributorNameTypeId', printf('00000010-0000-4000-8000-%012x', r9 % 3)), json_object('contributor',
    json_extract('["Adams", "Baker", "Castro", "Dahl", "Evans", "Fischer", "Garcia", "Huang", "Ivanov", "Jensen", "Kowalski", "Lopez", "Meyer", "Novak", "Olsen", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Vogel", "Weber", "Xu", "Yilmaz", "Zhang", "Abe", "Bauer", "Cohen", "Diaz"]',
    '$[' || (r10 % 30) || ']') || ', D.', 'contributorNameTypeId', printf('00000010-0000-4000-8000-%012x', r10 % 3))) END, 'poLineNumber',
    order_number
    || '-' || CAST(k AS TEXT), 'vendorDetail', json_object('refNumber', CASE WHEN r13 % 5 = 0 THEN 'REF-' || CAST(r14 AS TEXT) END, 'instructions',
    '', 'refNumberType', CASE WHEN r13 % 5 = 0 THEN
    json_extract('["Supplier''s continuation order", "Supplier''s unique order line reference number", "Agent''s unique subscription reference number", "Library''s continuation order number", "Internal vendor number"]',
    '$[' || (r14 % 5) || ']') END, 'vendorAccount', CAST(1234 + r14 % 60 AS TEXT)), 'paymentStatus', payment, 'receiptStatus', receipt,
    'reportingCodes',
    json_array(), 'publicationDate', CAST(1950 + r5 % 70 AS TEXT), 'purchaseOrderId', printf('00000001-0000-4000-8000-%012x', i), 'fundDistribution',
    CASE WHEN r14 % 100 < 85 THEN json_array(json_object('code',
    json_extract('["USHIST", "EUROHIST", "STATE-SUBN", "UNIV-SUBN", "GIFT-SUBN", "MISCHIST", "ENDOW-SUBN", "AFRICAHIST"]', '$[' || (r13 % 8) || ']'),
    'fundId', printf('0000000e-0000-4000-8000-%012x', r13 % 8), 'percentage', 100)) ELSE json_array(json_object('code',
    json_extract('["USHIST", "EUROHIST", "STATE-SUBN", "UNIV-SUBN", "GIFT-SUBN", "MISCHIST", "ENDOW-SUBN", "AFRICAHIST"]', '$[' || (r13 % 8) || ']'),
    'fundId', printf('0000000e-0000-4000-8000-%012x', r13 % 8), 'percentage', 60), json_object('code',
    json_extract('["USHIST", "EUROHIST", "STATE-SUBN", "UNIV-SUBN", "GIFT-SUBN", "MISCHIST", "ENDOW-SUBN", "AFRICAHIST"]', '$[' || ((r13 + 3) % 8) ||
    ']'), 'fundId', printf('0000000e-0000-4000-8000-%012x', (r13 + 3) % 8), 'percentage', 40)) END, 'acquisitionMethod', CASE WHEN r14 % 100 < 70
    THEN 'Purchase' WHEN r14 % 100 < 80 THEN 'Approval Plan' WHEN r14 % 100 < 86 THEN 'Gift' WHEN r14 % 100 < 92 THEN 'Purchase At Vendor System'
    WHEN r14 % 100 < 96 THEN 'Demand Driven Acquisitions (DDA)' ELSE
    json_extract('["Depository", "Evidence Based Acquisitions (EBA)", "Exchange", "Technical"]', '$[' || (r14 % 4) || ']') END,
    'cancellationRestriction', json(CASE WHEN r4 % 50 = 0 THEN 'true' ELSE 'false' END)))
FROM line;

INSERT INTO pieces (id, jsonb)
WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < {scale} * 1000),
  slot AS (
    SELECT i, i * 37 % 100 AS p, ((i % 1000003) * (i % 1000003) % 1000003 * 128486 + (i % 1000003) * 943269 + 905494) % 1000003 AS r1, ((i % 1000003)
    * (i % 1000003) % 1000003 * 249053 + (i % 1000003) * 429084 + 358238) % 1000003 AS r2, ((i % 1000003) * (i % 1000003) % 1000003 * 369620 + (i %
    1000003) * 914902 + 810985) % 1000003 AS r3, ((i % 1000003) * (i % 1000003) % 1000003 * 490187 + (i % 1000003) * 400717 + 263729) % 1000003 AS
    r4, ((i % 1000003) * (i % 1000003) % 1000003 * 610754 + (i % 1000003) * 886535 + 716476) % 1000003 AS r5, ((i % 1000003) * (i % 1000003) %
    1000003 * 731321 + (i % 1000003) * 372350 + 169220) % 1000003 AS r6, ((i % 1000003) * (i % 1000003) % 1000003 * 851888 + (i % 1000003) * 858168 +
    621967) % 1000003 AS r7, ((i % 1000003) * (i % 1000003) % 1000003 * 972455 + (i % 1000003) * 343983 + 74711) % 1000003 AS r8, ((i % 1000003) * (i
    % 1000003) % 1000003 * 93019 + (i % 1000003) * 829801 + 527458) % 1000003 AS r9, ((i % 1000003) * (i % 1000003) % 1000003 * 213586 + (i %
    1000003) * 315616 + 980205) % 1000003 AS r10, ((i % 1000003) * (i % 1000003) % 1000003 * 334153 + (i % 1000003) * 801434 + 432949) % 1000003 AS
    r11, ((i % 1000003) * (i % 1000003) % 1000003 * 454720 + (i % 1000003) * 287249 + 885696) % 1000003 AS r12
    FROM number),
  seeded AS (
    SELECT i, p, k, CASE WHEN r6 % 20 = 0 THEN 'AB' || CAST(9999 + i AS TEXT) || 'XYZ' ELSE CAST(9999 + i AS TEXT) END AS order_number, r7 % 5 = 0 AS
    is_ongoing, r1 % 1095 * 86400 + 28800 + r2 % 36000 AS created_s, printf('%03d', r3 % 1000) AS ms, (i * 7 + k) % 1000003 AS x FROM slot CROSS JOIN
    (SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) AS counted
    WHERE k <= CASE WHEN r4 % 1000 < 223 THEN 1 WHEN r4 % 1000 < 558 THEN 2 WHEN r4 % 1000 < 809 THEN 3 WHEN r4 % 1000 < 934 THEN 4 WHEN r4 % 1000 <
    981 THEN 5 WHEN r4 % 1000 < 996 THEN 6 ELSE 7 END),
  drawn AS (
    SELECT i, p, k, order_number, is_ongoing, created_s, ms, ((x) * (x) % 1000003 * 539820 + (x) * 659599 + 960407) % 1000003 AS r1, ((x) * (x) %
    1000003 * 660387 + (x) * 145414 + 413151) % 1000003 AS r2, ((x) * (x) % 1000003 * 780954 + (x) * 631232 + 865898) % 1000003 AS r3, ((x) * (x) %
    1000003 * 901521 + (x) * 117047 + 318642) % 1000003 AS r4, ((x) * (x) % 1000003 * 22085 + (x) * 602865 + 771389) % 1000003 AS r5, ((x) * (x) %
    1000003 * 142652 + (x) * 88680 + 224133) % 1000003 AS r6, ((x) * (x) % 1000003 * 263219 + (x) * 574498 + 676880) % 1000003 AS r7, ((x) * (x) %
    1000003 * 383786 + (x) * 60313 + 129624) % 1000003 AS r8, ((x) * (x) % 1000003 * 504353 + (x) * 546131 + 582371) % 1000003 AS r9, ((x) * (x) %
    1000003 * 624920 + (x) * 31946 + 35115) % 1000003 AS r10, ((x) * (x) % 1000003 * 745487 + (x) * 517764 + 487862) % 1000003 AS r11, ((x) * (x) %
    1000003 * 866054 + (x) * 3579 + 940609) % 1000003 AS r12, ((x) * (x) % 1000003 * 986621 + (x) * 489397 + 393353) % 1000003 AS r13, ((x) * (x) %
    1000003 * 107185 + (x) * 975215 + 846100) % 1000003 AS r14
    FROM seeded),
  line AS (
    SELECT drawn.*, CASE WHEN k > 1 AND r1 % 50 = 0 THEN 'Other' WHEN k > 1 AND r1 % 100 < 50 THEN 'Physical Resource' WHEN k > 1 AND r1 % 100 < 70
    THEN 'Electronic Resource' WHEN k > 1 THEN 'P/E Mix' WHEN p < 25 OR p BETWEEN 50 AND 59 OR p BETWEEN 70 AND 84 THEN 'Physical Resource' WHEN p <
    35 OR p BETWEEN 60 AND 63 OR p BETWEEN 85 AND 90 THEN 'Electronic Resource' ELSE 'P/E Mix' END AS format, CASE WHEN p BETWEEN 50 AND 69 THEN
    'Pending' WHEN p < 50 AND r2 % 100 < 70 THEN 'Awaiting Receipt' WHEN p < 50 AND r2 % 100 < 85 THEN 'Partially Received' WHEN p < 50 AND r2 % 100
    < 95 THEN 'Fully Received' WHEN p < 50 THEN 'Receipt Not Required' WHEN r2 % 100 < 80 THEN 'Fully Received' WHEN r2 % 100 < 88 THEN
    'Receipt Not Required' ELSE 'Cancelled' END AS receipt, CASE WHEN p BETWEEN 50 AND 69 THEN 'Pending' WHEN p < 50 AND r3 % 100 < 75 THEN
    'Awaiting Payment' WHEN p < 50 AND r3 % 100 < 90 THEN 'Partially Paid' WHEN p < 50 AND r3 % 100 < 95 THEN 'Fully Paid' WHEN p < 50 THEN
    'Payment Not Required' WHEN r2 % 100 < 80 THEN 'Fully Paid' WHEN r2 % 100 < 88 THEN 'Payment Not Required' ELSE 'Cancelled' END AS payment, 1 +
    r7 % 4 AS quantity, 199 + r4 % 3300 + r5 % 1700 * (1 + r6 % 8 / 7 * (r5 % 28)) AS cents, r13 % 10 = 0 AND r4 % 3300 > 2400 AS is_amount, 1 + r6 %
    3 AS spread, CASE r8 % 20 WHEN 0 THEN 'None' WHEN 1 THEN 'Instance' WHEN 2 THEN 'Instance, Holding' ELSE 'Instance, Holding, Item' END AS
    inventory, CASE r9 % 20 WHEN 0 THEN 'None' WHEN 1 THEN 'Instance' WHEN 2 THEN 'Instance, Holding, Item' ELSE 'Instance, Holding' END AS online
    FROM drawn),
  unit AS (
    SELECT line.*, u, (i * 100 + k) * 20 + u AS n, u > quantity OR format = 'Electronic Resource' AS is_electronic FROM line CROSS JOIN (SELECT 1 AS
    u UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8) AS units
    WHERE u <= quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) AND receipt NOT IN ('Pending', 'Receipt Not Required') AND NOT (is_ongoing
    AND r3 % 20 = 0))
SELECT (printf('00000003-0000-4000-8000-%012x', n)), json_patch('{}', json_object('id', printf('00000003-0000-4000-8000-%012x', n), 'format', CASE
    WHEN format = 'Other' THEN 'Other' WHEN is_electronic THEN 'Electronic' ELSE 'Physical' END, 'itemId', CASE WHEN (CASE WHEN is_electronic THEN
    online ELSE inventory END) = 'Instance, Holding, Item' AND receipt <> 'Cancelled' THEN printf('00000012-0000-4000-8000-%012x', n) END, 'caption',
    CASE WHEN n % 5 < 3 THEN 'Volume ' || CAST(u AS TEXT) END, 'comment',
    CASE WHEN n % 5 = 4 THEN 'Received in good order' END, 'metadata', json_object('createdDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01',
    (created_s) || ' seconds') || '.' || ms || 'Z', 'updatedDate', strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + r6 % 864000) ||
    ' seconds') || '.' || ms || 'Z', 'createdByUserId', printf('0000000a-0000-4000-8000-%012x', r5 % 25), 'updatedByUserId',
    printf('0000000a-0000-4000-8000-%012x', r5 % 25)), 'poLineId', printf('00000002-0000-4000-8000-%012x', i * 100 + k), 'locationId', CASE WHEN
    (CASE WHEN is_electronic THEN online ELSE inventory END) NOT IN ('None', 'Instance') THEN printf('0000000c-0000-4000-8000-%012x', (r13 + (u - 1)
    % spread * 7) % 40) END, 'supplement', json(CASE WHEN n % 20 = 7 THEN 'true' ELSE 'false' END), 'receivedDate', CASE
    WHEN receipt = 'Fully Received' OR receipt = 'Partially Received' AND u % 2 = 1 THEN strftime('%Y-%m-%dT%H:%M:%S', '2019-06-01', (created_s + (14
    + r11 % 107) * 86400) || ' seconds') || '.' || ms || 'Z' END, 'receivingStatus', CASE WHEN receipt = 'Fully Received' OR receipt =
    'Partially Received' AND u % 2 = 1 THEN 'Received' ELSE 'Expected' END))
FROM unit;

UPDATE po_number SET last_number = 9999 + {scale} * 1000 WHERE last_number < 9999 + {scale} * 1000;
