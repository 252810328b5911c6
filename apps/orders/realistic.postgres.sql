-- {scale} × 1,000 purchase orders of varied values, with 1 to 7 lines each, and the pieces of those that are not pending, for PostgreSQL: the
-- same every time, and the same as on SQLite. `r1` and so on are numbers below 1000003 that follow from the number of the row.

INSERT INTO purchase_order (id, jsonb)
WITH slot AS (
    SELECT i, i * 37 % 100 AS p, ((i % 1000003) * (i % 1000003) % 1000003 * 128486 + (i % 1000003) * 943269 + 905494) % 1000003 AS r1, ((i % 1000003)
    * (i % 1000003) % 1000003 * 249053 + (i % 1000003) * 429084 + 358238) % 1000003 AS r2, ((i % 1000003) * (i % 1000003) % 1000003 * 369620 + (i %
    1000003) * 914902 + 810985) % 1000003 AS r3, ((i % 1000003) * (i % 1000003) % 1000003 * 490187 + (i % 1000003) * 400717 + 263729) % 1000003 AS
    r4, ((i % 1000003) * (i % 1000003) % 1000003 * 610754 + (i % 1000003) * 886535 + 716476) % 1000003 AS r5, ((i % 1000003) * (i % 1000003) %
    1000003 * 731321 + (i % 1000003) * 372350 + 169220) % 1000003 AS r6, ((i % 1000003) * (i % 1000003) % 1000003 * 851888 + (i % 1000003) * 858168 +
    621967) % 1000003 AS r7, ((i % 1000003) * (i % 1000003) % 1000003 * 972455 + (i % 1000003) * 343983 + 74711) % 1000003 AS r8, ((i % 1000003) * (i
    % 1000003) % 1000003 * 93019 + (i % 1000003) * 829801 + 527458) % 1000003 AS r9, ((i % 1000003) * (i % 1000003) % 1000003 * 213586 + (i %
    1000003) * 315616 + 980205) % 1000003 AS r10, ((i % 1000003) * (i % 1000003) % 1000003 * 334153 + (i % 1000003) * 801434 + 432949) % 1000003 AS
    r11, ((i % 1000003) * (i % 1000003) % 1000003 * 454720 + (i % 1000003) * 287249 + 885696) % 1000003 AS r12
    FROM (SELECT i::bigint FROM generate_series(1, {scale} * 1000) AS counted(i)) AS number)
SELECT ('00000001-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, jsonb_strip_nulls(jsonb_build_object('id', '00000001-0000-4000-8000-' ||
    lpad(to_hex(i), 12, '0'), 'tags', jsonb_build_object('tagList', CASE r10 % 4 WHEN 0 THEN jsonb_build_array() WHEN 1 THEN
    jsonb_build_array((ARRAY['urgent', 'gift', 'approval', 'series', 'standing', 'rush', 'memorial', 'grant', 'replacement', 'reserve', 'media',
    'archive'])[1 + (r11 % 12)::int]) WHEN 2 THEN jsonb_build_array((ARRAY['urgent', 'gift', 'approval', 'series', 'standing', 'rush', 'memorial',
    'grant', 'replacement', 'reserve', 'media', 'archive'])[1 + (r11 % 12)::int], (ARRAY['urgent', 'gift', 'approval', 'series', 'standing', 'rush',
    'memorial', 'grant', 'replacement', 'reserve', 'media', 'archive'])[1 + ((r11 + 5) % 12)::int]) ELSE jsonb_build_array((ARRAY['urgent', 'gift',
    'approval', 'series', 'standing', 'rush', 'memorial', 'grant', 'replacement', 'reserve', 'media', 'archive'])[1 + (r11 % 12)::int],
    (ARRAY['urgent', 'gift', 'approval', 'series', 'standing', 'rush', 'memorial', 'grant', 'replacement', 'reserve', 'media', 'archive'])[1 + ((r11
    + 1) % 12)::int], (ARRAY['urgent', 'gift', 'approval', 'series', 'standing', 'rush', 'memorial', 'grant', 'replacement', 'reserve', 'media',
    'archive'])[1 + ((r11 + 4) % 12)::int]) END), 'notes', CASE r9 % 3 WHEN 0 THEN jsonb_build_array((ARRAY['Please expedite', 'Invoice to follow',
    'Second copy'])[1 + (r10 % 3)::int]) WHEN 1 THEN jsonb_build_array((ARRAY['Please expedite', 'Invoice to follow', 'Second copy'])[1 + (r10 %
    3)::int], (ARRAY['Please expedite', 'Invoice to follow', 'Second copy'])[1 + ((r10 + 1) % 3)::int]) END, 'billTo', '0000000d-0000-4000-8000-' ||
    lpad(to_hex(r11 % 5), 12, '0'), 'shipTo', '0000000d-0000-4000-8000-' || lpad(to_hex(r12 % 5), 12, '0'), 'vendor', '0000000b-0000-4000-8000-' ||
    lpad(to_hex(r8 * r8 / 1000003 * 200 / 1000003), 12, '0'), 'renewal', CASE WHEN r7 % 5 = 0 THEN jsonb_build_object('cycle', (ARRAY['Two Years',
    'One Year', '3 Months', '6 Months', '1 Month', 'Manual'])[1 + (r10 % 6)::int], 'interval', 30 + r11 % 701, 'renewalDate', to_char(timestamp
    '2019-06-01' + (r1 % 1095 * 86400 + 28800 + r2 % 36000 + (r12 % 730 - 365) * 86400) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' ||
    lpad((r3 % 1000)::text, 3, '0') || 'Z', 'reviewPeriod', 15 + r12 % 46, 'manualRenewal', (r11 % 10 < 3)) END, 'approved', (NOT (p BETWEEN 50 AND
    69)), 'manualPo', (r9 % 10 = 0), 'metadata', jsonb_build_object('createdDate', to_char(timestamp '2019-06-01' + (r1 % 1095 * 86400 + 28800 + r2 %
    36000) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || lpad((r3 % 1000)::text, 3, '0') || 'Z', 'updatedDate', to_char(timestamp
    '2019-06-01' + (r1 % 1095 * 86400 + 28800 + r2 % 36000 + r4 % 864000) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || lpad((r3 %
    1000)::text, 3, '0') || 'Z', 'createdByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(r5 % 25), 12, '0'), 'updatedByUserId',
    '0000000a-0000-4000-8000-' || lpad(to_hex(r5 % 25), 12, '0')), 'poNumber', CASE WHEN r6 % 20 = 0 THEN 'AB' || (9999 + i)::text || 'XYZ' ELSE
    (9999 + i)::text END, 'orderType', CASE WHEN r7 % 5 = 0 THEN 'Ongoing' ELSE 'One-Time' END, 'assignedTo', CASE WHEN r12 % 10 < 6 THEN
    '0000000a-0000-4000-8000-' || lpad(to_hex(r11 % 25), 12, '0') END, 'reEncumber', (r7 % 5 = 0 AND r12 % 2 = 0), 'closeReason', CASE WHEN p >= 70
    THEN jsonb_build_object('note', 'Closed by ' || (ARRAY['Adams', 'Baker', 'Castro', 'Dahl', 'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov',
    'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz',
    'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r11 % 30)::int], 'reason', CASE WHEN r4 % 100 < 70 THEN 'Complete' WHEN r4 % 100 < 85 THEN
    'Cancelled' WHEN r4 % 100 < 95 THEN 'Shipping delay' ELSE 'Duplicate' END) END, 'dateOrdered', CASE WHEN NOT (p BETWEEN 50 AND 69) THEN
    to_char(timestamp '2019-06-01' + (r1 % 1095 * 86400 + 28800 + r2 % 36000 + r12 % 15 * 86400) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') ||
    '.' || lpad((r3 % 1000)::text, 3, '0') || 'Z' END, 'workflowStatus', CASE WHEN p < 50 THEN 'Open' WHEN p BETWEEN 50 AND 69 THEN 'Pending' ELSE
    'Closed' END))
FROM slot;

INSERT INTO po_line (id, jsonb)
WITH slot AS (
    SELECT i, i * 37 % 100 AS p, ((i % 1000003) * (i % 1000003) % 1000003 * 128486 + (i % 1000003) * 943269 + 905494) % 1000003 AS r1, ((i % 1000003)
    * (i % 1000003) % 1000003 * 249053 + (i % 1000003) * 429084 + 358238) % 1000003 AS r2, ((i % 1000003) * (i % 1000003) % 1000003 * 369620 + (i %
    1000003) * 914902 + 810985) % 1000003 AS r3, ((i % 1000003) * (i % 1000003) % 1000003 * 490187 + (i % 1000003) * 400717 + 263729) % 1000003 AS
    r4, ((i % 1000003) * (i % 1000003) % 1000003 * 610754 + (i % 1000003) * 886535 + 716476) % 1000003 AS r5, ((i % 1000003) * (i % 1000003) %
    1000003 * 731321 + (i % 1000003) * 372350 + 169220) % 1000003 AS r6, ((i % 1000003) * (i % 1000003) % 1000003 * 851888 + (i % 1000003) * 858168 +
    621967) % 1000003 AS r7, ((i % 1000003) * (i % 1000003) % 1000003 * 972455 + (i % 1000003) * 343983 + 74711) % 1000003 AS r8, ((i % 1000003) * (i
    % 1000003) % 1000003 * 93019 + (i % 1000003) * 829801 + 527458) % 1000003 AS r9, ((i % 1000003) * (i % 1000003) % 1000003 * 213586 + (i %
    1000003) * 315616 + 980205) % 1000003 AS r10, ((i % 1000003) * (i % 1000003) % 1000003 * 334153 + (i % 1000003) * 801434 + 432949) % 1000003 AS
    r11, ((i % 1000003) * (i % 1000003) % 1000003 * 454720 + (i % 1000003) * 287249 + 885696) % 1000003 AS r12
    FROM (SELECT i::bigint FROM generate_series(1, {scale} * 1000) AS counted(i)) AS number),
  seeded AS (
    SELECT i, p, k, CASE WHEN r6 % 20 = 0 THEN 'AB' || (9999 + i)::text || 'XYZ' ELSE (9999 + i)::text END AS order_number, r7 % 5 = 0 AS is_ongoing,
    r1 % 1095 * 86400 + 28800 + r2 % 36000 AS created_s, lpad((r3 % 1000)::text, 3, '0') AS ms, (i * 7 + k) % 1000003 AS x FROM slot CROSS JOIN
    (VALUES (1), (2), (3), (4), (5), (6), (7)) AS counted(k) WHERE k <= CASE WHEN r4 % 1000 < 223 THEN 1 WHEN r4 % 1000 < 558 THEN 2 WHEN r4 % 1000 <
    809 THEN 3 WHEN r4 % 1000 < 934 THEN 4 WHEN r4 % 1000 < 981 THEN 5 WHEN r4 % 1000 < 996 THEN 6 ELSE 7 END),
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
SELECT ('00000002-0000-4000-8000-' || lpad(to_hex(i * 100 + k), 12, '0'))::uuid, jsonb_strip_nulls(jsonb_build_object('id',
    '00000002-0000-4000-8000-' || lpad(to_hex(i * 100 + k), 12, '0'), 'cost', jsonb_build_object('currency', CASE WHEN r9 % 100 < 80 THEN 'USD' WHEN
    r9 % 100 < 92 THEN 'EUR' ELSE 'GBP' END, 'discount', (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0 END), 'discountType', CASE WHEN is_amount
    THEN 'amount' ELSE 'percentage' END,
    'listUnitPrice', CASE WHEN format <> 'Electronic Resource' THEN round((cents) / 100.0, 2) END, 'additionalCost', round(((CASE WHEN r13 % 5 = 1
    THEN 499 ELSE 0 END)) / 100.0, 2), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN quantity END, 'quantityElectronic', CASE
    WHEN format IN ('Electronic Resource', 'P/E Mix') THEN quantity END, 'poLineEstimatedPrice', round((quantity * cents * (CASE format WHEN
    'P/E Mix' THEN 2 ELSE 1 END) - CASE WHEN is_amount THEN (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0 END) * 100 ELSE (quantity * cents *
    (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) * (CASE WHEN r13 % 10 = 0 THEN 5 + r14 % 21 ELSE 0 END) + 50) / 100 END + (CASE WHEN r13 % 5 = 1
    THEN 499 ELSE 0 END)) / 100.0, 2), 'listUnitPriceElectronic', CASE WHEN format IN ('Electronic Resource',
    'P/E Mix') THEN round((cents) / 100.0, 2) END), 'rush', (r1 % 100 < 3), 'donor', CASE WHEN r4 % 100 < 15 THEN (ARRAY['Adams', 'Baker', 'Castro',
    'Dahl', 'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi',
    'Sato', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r12 % 30)::int] END, 'title',
    (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1
    + ((((r8 * 3 + r9 * 1 + 0) % 1000003) * ((r8 * 3 + r9 * 1 + 0) % 1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e', 'i', 'o',
    'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 3 + r9 * 1 + 0) % 1000003) * ((r8 *
    3 + r9 * 1 + 0) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma', 'ness', 'ra', 'ta',
    've'])[1 + ((((r8 * 3 + r9 * 1 + 0) % 1000003) * ((r8 * 3 + r9 * 1 + 0) % 1000003) / 1000003 * 4000 / 1000003) / 400)::int] || ' ' ||
    (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1
    + ((((r8 * 5 + r9 * 2 + 7919) % 1000003) * ((r8 * 5 + r9 * 2 + 7919) % 1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e', 'i',
    'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 5 + r9 * 2 + 7919) % 1000003) *
    ((r8 * 5 + r9 * 2 + 7919) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma', 'ness', 'ra',
    'ta', 've'])[1 + ((((r8 * 5 + r9 * 2 + 7919) % 1000003) * ((r8 * 5 + r9 * 2 + 7919) % 1000003) / 1000003 * 4000 / 1000003) / 400)::int] || CASE
    WHEN r10 % 8 >= 1 THEN ' ' || (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per',
    'qui', 'ros', 'sil', 'tor'])[1 + ((((r8 * 7 + r9 * 3 + 31676) % 1000003) * ((r8 * 7 + r9 * 3 + 31676) % 1000003) / 1000003 * 4000 / 1000003) %
    20)::int] || (ARRAY['a', 'e', 'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 +
    ((((r8 * 7 + r9 * 3 + 31676) % 1000003) * ((r8 * 7 + r9 * 3 + 31676) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20)::int] || (ARRAY['de',
    'dle', 'ge', 'ka', 'ling', 'ma', 'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 7 + r9 * 3 + 31676) % 1000003) * ((r8 * 7 + r9 * 3 + 31676) % 1000003) /
    1000003 * 4000 / 1000003) / 400)::int] ELSE '' END || CASE WHEN r10 % 8 >= 2 THEN ' ' || (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar',
    'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1 + ((((r8 * 9 + r9 * 4 + 71271) % 1000003) * ((r8 * 9
    + r9 * 4 + 71271) % 1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e', 'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er',
    'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 9 + r9 * 4 + 71271) % 1000003) * ((r8 * 9 + r9 * 4 + 71271) % 1000003) / 1000003 *
    4000 / 1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma', 'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 9 + r9 * 4 + 71271) %
    1000003) * ((r8 * 9 + r9 * 4 + 71271) % 1000003) / 1000003 * 4000 / 1000003) / 400)::int] ELSE '' END || CASE WHEN r10 % 8 >= 3 THEN ' ' ||
    (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1
    + ((((r8 * 11 + r9 * 5 + 126704) % 1000003) * ((r8 * 11 + r9 * 5 + 126704) % 1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e',
    'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 11 + r9 * 5 + 126704) %
    1000003) * ((r8 * 11 + r9 * 5 + 126704) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma',
    'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 11 + r9 * 5 + 126704) % 1000003) * ((r8 * 11 + r9 * 5 + 126704) % 1000003) / 1000003 * 4000 / 1000003) /
    400)::int] ELSE '' END || CASE WHEN r10 % 8 >= 4 THEN ' ' || (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal',
    'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1 + ((((r8 * 13 + r9 * 6 + 197975) % 1000003) * ((r8 * 13 + r9 * 6 + 197975) %
    1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e', 'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur',
    'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 13 + r9 * 6 + 197975) % 1000003) * ((r8 * 13 + r9 * 6 + 197975) % 1000003) / 1000003 * 4000 /
    1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma', 'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 13 + r9 * 6 + 197975) %
    1000003) * ((r8 * 13 + r9 * 6 + 197975) % 1000003) / 1000003 * 4000 / 1000003) / 400)::int] ELSE '' END || CASE WHEN r10 % 8 >= 5 THEN ' ' ||
    (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1
    + ((((r8 * 15 + r9 * 7 + 285084) % 1000003) * ((r8 * 15 + r9 * 7 + 285084) % 1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e',
    'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 15 + r9 * 7 + 285084) %
    1000003) * ((r8 * 15 + r9 * 7 + 285084) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma',
    'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 15 + r9 * 7 + 285084) % 1000003) * ((r8 * 15 + r9 * 7 + 285084) % 1000003) / 1000003 * 4000 / 1000003) /
    400)::int] ELSE '' END || CASE WHEN r10 % 8 >= 6 THEN ' ' || (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal',
    'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1 + ((((r8 * 17 + r9 * 8 + 388031) % 1000003) * ((r8 * 17 + r9 * 8 + 388031) %
    1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e', 'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur',
    'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 17 + r9 * 8 + 388031) % 1000003) * ((r8 * 17 + r9 * 8 + 388031) % 1000003) / 1000003 * 4000 /
    1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma', 'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 17 + r9 * 8 + 388031) %
    1000003) * ((r8 * 17 + r9 * 8 + 388031) % 1000003) / 1000003 * 4000 / 1000003) / 400)::int] ELSE '' END || CASE WHEN r10 % 8 >= 7 THEN ' ' ||
    (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1
    + ((((r8 * 19 + r9 * 9 + 506816) % 1000003) * ((r8 * 19 + r9 * 9 + 506816) % 1000003) / 1000003 * 4000 / 1000003) % 20)::int] || (ARRAY['a', 'e',
    'i', 'o', 'u', 'an', 'en', 'in', 'on', 'un', 'ar', 'er', 'ir', 'or', 'ur', 'al', 'el', 'il', 'ol', 'ul'])[1 + ((((r8 * 19 + r9 * 9 + 506816) %
    1000003) * ((r8 * 19 + r9 * 9 + 506816) % 1000003) / 1000003 * 4000 / 1000003) / 20 % 20)::int] || (ARRAY['de', 'dle', 'ge', 'ka', 'ling', 'ma',
    'ness', 'ra', 'ta', 've'])[1 + ((((r8 * 19 + r9 * 9 + 506816) % 1000003) * ((r8 * 19 + r9 * 9 + 506816) % 1000003) / 1000003 * 4000 / 1000003) /
    400)::int] ELSE '' END || CASE WHEN r11 % 100 < 8 THEN ' ' || (ARRAY['café', 'Ærø', 'naïve', 'señor', 'Łódź', 'über', 'façade', 'Sørensen'])[1 +
    (r12 % 8)::int] WHEN r11 % 100 < 13 THEN ' ' || (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol', 'in', 'jor', 'kal', 'lem', 'mor',
    'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1 + (r12 % 20)::int] || '-' || (ARRAY['ar', 'ben', 'cal', 'dor', 'el', 'fen', 'gar', 'hol',
    'in', 'jor', 'kal', 'lem', 'mor', 'nor', 'os', 'per', 'qui', 'ros', 'sil', 'tor'])[1 + (r12 / 20 % 20)::int] WHEN r11 % 100 < 16 THEN ' ' ||
    (ARRAY['"Selected"', '100%', 'a_b', 'star*', 'why?', 'back\slash', 'it''s'])[1 + (r12 % 7)::int] ELSE '' END, 'alerts', jsonb_build_array(),
    'claims', CASE r5 % 10 WHEN 0 THEN jsonb_build_array(jsonb_build_object('grace', 30 + r6 % 2 * 30, 'claimed', (1 = 0))) END, 'source', CASE WHEN
    r13 % 100 < 85 THEN 'User' WHEN r13 % 100 < 95 THEN 'API' WHEN r13 % 100 < 98 THEN 'EDI' ELSE 'MARC' END, 'details',
    jsonb_build_object('productIds', CASE r11 % 3 WHEN 0 THEN jsonb_build_array(jsonb_build_object('productId', '978' || lpad(((r8 * 997 + r9) %
    1000000000)::text, 9, '0') || ((10 - (38 + 3 * ((r8 * 997 + r9) % 1000000000 / 100000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10000000 %
    10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 100000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 /
    10000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 1000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 100 % 10) + 1 * ((r8 * 997 + r9) % 1000000000
    / 10 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1 % 10)) % 10) % 10)::text, 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422')) WHEN 1
    THEN jsonb_build_array(jsonb_build_object('productId', '978' || lpad(((r8 * 997 + r9) % 1000000000)::text, 9, '0') || ((10 - (38 + 3 * ((r8 * 997
    + r9) % 1000000000 / 100000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10000000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1000000 % 10) + 1
    * ((r8 * 997 + r9) % 1000000000 / 100000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 10000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 1000 % 10)
    + 3 * ((r8 * 997 + r9) % 1000000000 / 100 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1 % 10)) %
    10) % 10)::text, 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422'), jsonb_build_object('productId', '978' || lpad(((r9 * 991 + r10) %
    1000000000)::text, 9, '0') || ((10 - (38 + 3 * ((r9 * 991 + r10) % 1000000000 / 100000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10000000 %
    10) + 3 * ((r9 * 991 + r10) % 1000000000 / 1000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 100000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000
    / 10000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 1000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 100 % 10) + 1 * ((r9 * 991 + r10) %
    1000000000 / 10 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 1 % 10)) % 10) % 10)::text, 'productIdType',
    '8261054f-be78-422d-bd51-4ed9f33c3422')) ELSE jsonb_build_array(jsonb_build_object('productId', '978' || lpad(((r8 * 997 + r9) %
    1000000000)::text, 9, '0') || ((10 - (38 + 3 * ((r8 * 997 + r9) % 1000000000 / 100000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 10000000 %
    10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1000000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 100000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 /
    10000 % 10) + 1 * ((r8 * 997 + r9) % 1000000000 / 1000 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 100 % 10) + 1 * ((r8 * 997 + r9) % 1000000000
    / 10 % 10) + 3 * ((r8 * 997 + r9) % 1000000000 / 1 % 10)) % 10) % 10)::text, 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422'),
    jsonb_build_object('productId', '978' || lpad(((r9 * 991 + r10) % 1000000000)::text, 9, '0') || ((10 - (38 + 3 * ((r9 * 991 + r10) % 1000000000 /
    100000000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10000000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 1000000 % 10) + 1 * ((r9 * 991 +
    r10) % 1000000000 / 100000 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 10000 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 1000 % 10) + 3 * ((r9
    * 991 + r10) % 1000000000 / 100 % 10) + 1 * ((r9 * 991 + r10) % 1000000000 / 10 % 10) + 3 * ((r9 * 991 + r10) % 1000000000 / 1 % 10)) % 10) %
    10)::text, 'productIdType', '8261054f-be78-422d-bd51-4ed9f33c3422'), jsonb_build_object('productId', substr(lpad(((r10 * 9 + r11) %
    10000000)::text, 7, '0'), 1, 4) || '-' || substr(lpad(((r10 * 9 + r11) % 10000000)::text, 7, '0'), 5, 3) || CASE (11 - (8 * ((r10 * 9 + r11) %
    10000000 / 1000000 % 10) + 7 * ((r10 * 9 + r11) % 10000000 / 100000 % 10) + 6 * ((r10 * 9 + r11) % 10000000 / 10000 % 10) + 5 * ((r10 * 9 + r11)
    % 10000000 / 1000 % 10) + 4 * ((r10 * 9 + r11) % 10000000 / 100 % 10) + 3 * ((r10 * 9 + r11) % 10000000 / 10 % 10) + 2 * ((r10 * 9 + r11) %
    10000000 / 1 % 10)) % 11) % 11 WHEN 10 THEN 'X' ELSE ((11 - (8 * ((r10 * 9 + r11) % 10000000 / 1000000 % 10) + 7 * ((r10 * 9 + r11) % 10000000 /
    100000 % 10) + 6 * ((r10 * 9 + r11) % 10000000 / 10000 % 10) + 5 * ((r10 * 9 + r11) % 10000000 / 1000 % 10) + 4 * ((r10 * 9 + r11) % 10000000 /
    100 % 10) + 3 * ((r10 * 9 + r11) % 10000000 / 10 % 10) + 2 * ((r10 * 9 + r11) % 10000000 / 1 % 10)) % 11) % 11)::text END, 'productIdType',
    '913300b2-03ed-469a-8179-c1092c991227')) END, 'receivingNote', '', 'subscriptionTo',
    CASE WHEN is_ongoing THEN to_char(timestamp '2019-06-01' + (created_s + 31536000) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms
    || 'Z' END, 'subscriptionFrom', CASE WHEN is_ongoing THEN to_char(timestamp '2019-06-01' + (created_s) * interval '1 second',
    'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z' END, 'subscriptionInterval', CASE WHEN is_ongoing THEN 365 ELSE 0 END), 'edition', CASE WHEN r6 %
    5 = 0 THEN (1 + r6 % 4)::text || '. ed.' END, 'metadata', jsonb_build_object('createdDate', to_char(timestamp '2019-06-01' + (created_s) *
    interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z', 'updatedDate', to_char(timestamp '2019-06-01' + (created_s + r6 % 864000) *
    interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z', 'createdByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(r5 % 25), 12,
    '0'), 'updatedByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(r5 % 25), 12, '0')), 'physical', CASE WHEN format <> 'Electronic Resource'
    THEN jsonb_build_object('volumes', CASE r10 % 2 WHEN 0 THEN jsonb_build_array() ELSE jsonb_build_array('vol. 1') END, 'receiptDue',
    to_char(timestamp '2019-06-01' + (created_s + (14 + r11 % 107) * 86400) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z',
    'materialType', '00000011-0000-4000-8000-' || lpad(to_hex(r10 % 8), 12, '0'), 'createInventory', inventory, 'materialSupplier',
    '0000000b-0000-4000-8000-' || lpad(to_hex(r11 % 200), 12, '0'), 'expectedReceiptDate', to_char(timestamp '2019-06-01' + (created_s + (14 + r11 %
    107) * 86400) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z') END, 'selector', CASE WHEN r3 % 100 < 15 THEN
    (ARRAY['Adams', 'Baker', 'Castro', 'Dahl', 'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak',
    'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 +
    (r11 % 30)::int] END, 'eresource', CASE WHEN format IN ('Electronic Resource', 'P/E Mix') THEN jsonb_build_object('trial', (r12 % 20 = 0),
    'activated', (p >= 70 AND r10 % 10 < 9 OR p < 50 AND r10 % 2 = 0), 'userLimit', 1 + r12 % 50, 'materialType', '00000011-0000-4000-8000-' ||
    lpad(to_hex(r12 % 8), 12, '0'), 'accessProvider', '0000000b-0000-4000-8000-' || lpad(to_hex(r11 % 200), 12, '0'), 'createInventory', online,
    'expectedActivation', to_char(timestamp '2019-06-01' + (created_s + (7 + r12 % 60) * 86400) * interval '1 second',
    'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z') END, 'locations', CASE WHEN spread = 1 OR quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1
    END) = 1 THEN jsonb_build_array(jsonb_build_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 1) / spread,
    'locationId', '0000000c-0000-4000-8000-' || lpad(to_hex((r13 + 0) % 40), 12, '0'), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource'
    THEN (quantity + spread - 1) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 1) / spread
    WHEN 'P/E Mix' THEN (quantity * 2 + spread - 1) / spread - (quantity + spread - 1) / spread END)) WHEN spread = 2 OR quantity * (CASE format WHEN
    'P/E Mix' THEN 2 ELSE 1 END) = 2 THEN jsonb_build_array(jsonb_build_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END)
    + spread - 1) / spread, 'locationId', '0000000c-0000-4000-8000-' || lpad(to_hex((r13 + 0) % 40), 12, '0'), 'quantityPhysical', CASE WHEN format
    <> 'Electronic Resource' THEN (quantity + spread - 1) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity +
    spread - 1) / spread WHEN 'P/E Mix' THEN (quantity * 2 + spread - 1) / spread - (quantity + spread - 1) / spread END),
    jsonb_build_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 2) / spread, 'locationId',
    '0000000c-0000-4000-8000-' || lpad(to_hex((r13 + 7) % 40), 12, '0'), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN (quantity
    + spread - 2) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 2) / spread WHEN 'P/E Mix'
    THEN (quantity * 2 + spread - 2) / spread - (quantity + spread - 2) / spread END)) ELSE jsonb_build_array(jsonb_build_object('quantity',
    (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 1) / spread, 'locationId', '0000000c-0000-4000-8000-' || lpad(to_hex((r13 +
    0) % 40), 12, '0'), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN (quantity + spread - 1) / spread END,
    'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 1) / spread WHEN 'P/E Mix' THEN (quantity * 2 + spread -
    1) / spread - (quantity + spread - 1) / spread END), jsonb_build_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) +
    spread - 2) / spread, 'locationId', '0000000c-0000-4000-8000-' || lpad(to_hex((r13 + 7) % 40), 12, '0'), 'quantityPhysical', CASE WHEN format <>
    'Electronic Resource' THEN (quantity + spread - 2) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity +
    spread - 2) / spread WHEN 'P/E Mix' THEN (quantity * 2 + spread - 2) / spread - (quantity + spread - 2) / spread END),
    jsonb_build_object('quantity', (quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) + spread - 3) / spread, 'locationId',
    '0000000c-0000-4000-8000-' || lpad(to_hex((r13 + 14) % 40), 12, '0'), 'quantityPhysical', CASE WHEN format <> 'Electronic Resource' THEN
    (quantity + spread - 3) / spread END, 'quantityElectronic', CASE format WHEN 'Electronic Resource' THEN (quantity + spread - 3) / spread WHEN
    'P/E Mix' THEN (quantity * 2 + spread - 3) / spread - (quantity + spread - 3) / spread END)) END, 'publisher', CASE WHEN r3 % 10 < 8
    THEN 'Publisher ' || (r4 % 150)::text END, 'requester', CASE WHEN r2 % 100 < 15 THEN (ARRAY['Adams', 'Baker', 'Castro', 'Dahl', 'Evans',
    'Fischer', 'Garcia', 'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato', 'Tanaka',
    'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r10 % 30)::int] END, 'collection', (r2 % 20 = 3),
    'instanceId', CASE WHEN r12 % 50 > 0 THEN '0000000f-0000-4000-8000-' || lpad(to_hex((r8 * 997 + r9) % 1000000007), 12, '0') END, 'orderFormat',
    format, 'receiptDate', CASE WHEN receipt = 'Fully Received' THEN to_char(timestamp '2019-06-01' + (created_s + (14 + r11 % 107) * 86400) *
    interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z' END, 'checkinItems', (is_ongoing AND r3 % 20 = 0), 'contributors', CASE r7 %
    4 WHEN 0 THEN jsonb_build_array() WHEN 1 THEN jsonb_build_array(jsonb_build_object('contributor', (ARRAY['Adams', 'Baker', 'Castro', 'Dahl',
    'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato',
    'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r8 % 30)::int] || ', A.',
    'contributorNameTypeId', '00000010-0000-4000-8000-' || lpad(to_hex(r8 % 3), 12, '0'))) WHEN 2 THEN
    jsonb_build_array(jsonb_build_object('contributor', (ARRAY['Adams', 'Baker', 'Castro', 'Dahl', 'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov',
    'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz',
    'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r8 % 30)::int] || ', B.', 'contributorNameTypeId', '00000010-0000-4000-8000-' || lpad(to_hex(r8 %
    3), 12, '0')), jsonb_build_object('contributor', (ARRAY['Adams', 'Baker', 'Castro', 'Dahl', 'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov',
    'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz',
    'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r9 % 30)::int] || ', C.', 'contributorNameTypeId', '00000010-0000-4000-8000-' || lpad(to_hex(r9 %
    3), 12, '0'))) ELSE jsonb_build_array(jsonb_build_object('contributor', (ARRAY['Adams', 'Baker', 'Castro', 'Dahl', 'Evans', 'Fischer', 'Garcia',
    'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato', 'Tanaka', 'Ueda', 'Vogel',
    'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r8 % 30)::int] || ', B.', 'contributorNameTypeId',
    '00000010-0000-4000-8000-' || lpad(to_hex(r8 % 3), 12, '0')), jsonb_build_object('contributor', (ARRAY['Adams', 'Baker', 'Castro', 'Dahl',
    'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn', 'Rossi', 'Sato',
    'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r9 % 30)::int] || ', C.',
    'contributorNameTypeId', '00000010-0000-4000-8000-' || lpad(to_hex(r9 % 3), 12, '0')), jsonb_build_object('contributor', (ARRAY['Adams', 'Baker',
    'Castro', 'Dahl', 'Evans', 'Fischer', 'Garcia', 'Huang', 'Ivanov', 'Jensen', 'Kowalski', 'Lopez', 'Meyer', 'Novak', 'Olsen', 'Petrov', 'Quinn',
    'Rossi', 'Sato', 'Tanaka', 'Ueda', 'Vogel', 'Weber', 'Xu', 'Yilmaz', 'Zhang', 'Abe', 'Bauer', 'Cohen', 'Diaz'])[1 + (r10 % 30)::int] || ', D.',
    'contributorNameTypeId', '00000010-0000-4000-8000-' || lpad(to_hex(r10 % 3), 12, '0'))) END, 'poLineNumber', order_number || '-' || (k)::text,
    'vendorDetail', jsonb_build_object('refNumber', CASE WHEN r13 % 5 = 0 THEN 'REF-'
    || (r14)::text END, 'instructions', '', 'refNumberType', CASE WHEN r13 % 5 = 0 THEN (ARRAY['Supplier''s continuation order',
    'Supplier''s unique order line reference number', 'Agent''s unique subscription reference number', 'Library''s continuation order number',
    'Internal vendor number'])[1 + (r14 % 5)::int] END, 'vendorAccount', (1234 + r14 % 60)::text), 'paymentStatus', payment, 'receiptStatus',
    receipt, 'reportingCodes', jsonb_build_array(), 'publicationDate', (1950 + r5 % 70)::text, 'purchaseOrderId', '00000001-0000-4000-8000-' ||
    lpad(to_hex(i), 12, '0'), 'fundDistribution', CASE WHEN r14 % 100 < 85 THEN jsonb_build_array(jsonb_build_object('code', (ARRAY['USHIST',
    'EUROHIST', 'STATE-SUBN', 'UNIV-SUBN', 'GIFT-SUBN', 'MISCHIST', 'ENDOW-SUBN', 'AFRICAHIST'])[1 + (r13 % 8)::int], 'fundId',
    '0000000e-0000-4000-8000-' || lpad(to_hex(r13 % 8), 12, '0'), 'percentage', 100)) ELSE jsonb_build_array(jsonb_build_object('code',
    (ARRAY['USHIST', 'EUROHIST', 'STATE-SUBN', 'UNIV-SUBN', 'GIFT-SUBN', 'MISCHIST', 'ENDOW-SUBN', 'AFRICAHIST'])[1 + (r13 % 8)::int], 'fundId',
    '0000000e-0000-4000-8000-' || lpad(to_hex(r13 % 8), 12, '0'), 'percentage', 60), jsonb_build_object('code', (ARRAY['USHIST', 'EUROHIST',
    'STATE-SUBN', 'UNIV-SUBN', 'GIFT-SUBN', 'MISCHIST', 'ENDOW-SUBN', 'AFRICAHIST'])[1 + ((r13 + 3) % 8)::int], 'fundId', '0000000e-0000-4000-8000-'
    || lpad(to_hex((r13 + 3) % 8), 12, '0'), 'percentage', 40)) END, 'acquisitionMethod', CASE WHEN r14 % 100 < 70 THEN 'Purchase' WHEN r14 % 100 <
    80 THEN 'Approval Plan' WHEN r14 % 100 < 86 THEN 'Gift' WHEN r14 % 100 < 92 THEN 'Purchase At Vendor System' WHEN r14 % 100 < 96 THEN
    'Demand Driven Acquisitions (DDA)' ELSE (ARRAY['Depository', 'Evidence Based Acquisitions (EBA)', 'Exchange', 'Technical'])[1 + (r14 % 4)::int]
    END, 'cancellationRestriction', (r4 % 50 = 0)))
FROM line;

INSERT INTO pieces (id, jsonb)
WITH slot AS (
    SELECT i, i * 37 % 100 AS p, ((i % 1000003) * (i % 1000003) % 1000003 * 128486 + (i % 1000003) * 943269 + 905494) % 1000003 AS r1, ((i % 1000003)
    * (i % 1000003) % 1000003 * 249053 + (i % 1000003) * 429084 + 358238) % 1000003 AS r2, ((i % 1000003) * (i % 1000003) % 1000003 * 369620 + (i %
    1000003) * 914902 + 810985) % 1000003 AS r3, ((i % 1000003) * (i % 1000003) % 1000003 * 490187 + (i % 1000003) * 400717 + 263729) % 1000003 AS
    r4, ((i % 1000003) * (i % 1000003) % 1000003 * 610754 + (i % 1000003) * 886535 + 716476) % 1000003 AS r5, ((i % 1000003) * (i % 1000003) %
    1000003 * 731321 + (i % 1000003) * 372350 + 169220) % 1000003 AS r6, ((i % 1000003) * (i % 1000003) % 1000003 * 851888 + (i % 1000003) * 858168 +
    621967) % 1000003 AS r7, ((i % 1000003) * (i % 1000003) % 1000003 * 972455 + (i % 1000003) * 343983 + 74711) % 1000003 AS r8, ((i % 1000003) * (i
    % 1000003) % 1000003 * 93019 + (i % 1000003) * 829801 + 527458) % 1000003 AS r9, ((i % 1000003) * (i % 1000003) % 1000003 * 213586 + (i %
    1000003) * 315616 + 980205) % 1000003 AS r10, ((i % 1000003) * (i % 1000003) % 1000003 * 334153 + (i % 1000003) * 801434 + 432949) % 1000003 AS
    r11, ((i % 1000003) * (i % 1000003) % 1000003 * 454720 + (i % 1000003) * 287249 + 885696) % 1000003 AS r12
    FROM (SELECT i::bigint FROM generate_series(1, {scale} * 1000) AS counted(i)) AS number),
  seeded AS (
    SELECT i, p, k, CASE WHEN r6 % 20 = 0 THEN 'AB' || (9999 + i)::text || 'XYZ' ELSE (9999 + i)::text END AS order_number, r7 % 5 = 0 AS is_ongoing,
    r1 % 1095 * 86400 + 28800 + r2 % 36000 AS created_s, lpad((r3 % 1000)::text, 3, '0') AS ms, (i * 7 + k) % 1000003 AS x FROM slot CROSS JOIN
    (VALUES (1), (2), (3), (4), (5), (6), (7)) AS counted(k) WHERE k <= CASE WHEN r4 % 1000 < 223 THEN 1 WHEN r4 % 1000 < 558 THEN 2 WHEN r4 % 1000 <
    809 THEN 3 WHEN r4 % 1000 < 934 THEN 4 WHEN r4 % 1000 < 981 THEN 5 WHEN r4 % 1000 < 996 THEN 6 ELSE 7 END),
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
    SELECT line.*, u, (i * 100 + k) * 20 + u AS n, u > quantity OR format = 'Electronic Resource' AS is_electronic FROM line CROSS JOIN (VALUES (1),
    (2), (3), (4), (5), (6), (7), (8)) AS units(u)
    WHERE u <= quantity * (CASE format WHEN 'P/E Mix' THEN 2 ELSE 1 END) AND receipt NOT IN ('Pending', 'Receipt Not Required') AND NOT (is_ongoing
    AND r3 % 20 = 0))
SELECT ('00000003-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, jsonb_strip_nulls(jsonb_build_object('id', '00000003-0000-4000-8000-' ||
    lpad(to_hex(n), 12, '0'), 'format', CASE WHEN format = 'Other' THEN 'Other' WHEN is_electronic THEN 'Electronic' ELSE 'Physical' END, 'itemId',
    CASE WHEN (CASE WHEN is_electronic THEN online ELSE inventory END) = 'Instance, Holding, Item' AND receipt <> 'Cancelled' THEN
    '00000012-0000-4000-8000-' || lpad(to_hex(n), 12, '0') END, 'caption', CASE WHEN n %
    5 < 3 THEN 'Volume ' || (u)::text END, 'comment', CASE WHEN n % 5 = 4 THEN 'Received in good order' END, 'metadata',
    jsonb_build_object('createdDate', to_char(timestamp '2019-06-01' + (created_s) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms ||
    'Z', 'updatedDate', to_char(timestamp '2019-06-01' + (created_s + r6 % 864000) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms ||
    'Z', 'createdByUserId', '0000000a-0000-4000-8000-' || lpad(to_hex(r5 % 25), 12, '0'), 'updatedByUserId', '0000000a-0000-4000-8000-' ||
    lpad(to_hex(r5 % 25), 12, '0')), 'poLineId', '00000002-0000-4000-8000-' || lpad(to_hex(i * 100 + k), 12, '0'), 'locationId', CASE WHEN (CASE WHEN
    is_electronic THEN online ELSE inventory END) NOT IN ('None', 'Instance') THEN '0000000c-0000-4000-8000-' || lpad(to_hex((r13 + (u - 1) % spread
    * 7) % 40), 12, '0') END, 'supplement', (n % 20 = 7), 'receivedDate', CASE WHEN receipt = 'Fully Received'
    OR receipt = 'Partially Received' AND u % 2 = 1 THEN to_char(timestamp '2019-06-01' + (created_s + (14 + r11 % 107) * 86400) * interval
    '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || '.' || ms || 'Z' END, 'receivingStatus', CASE WHEN receipt = 'Fully Received' OR receipt =
    'Partially Received' AND u % 2 = 1 THEN 'Received' ELSE 'Expected' END))
FROM unit;

UPDATE po_number SET last_number = 9999 + {scale} * 1000 WHERE last_number < 9999 + {scale} * 1000;
