-- Organizations, titles and settings: the vendor of the orders, and what their lines are about.
INSERT INTO organization (id, jsonb) VALUES
  ('0000000b-0000-4000-8000-000000000001', '{"id":"0000000b-0000-4000-8000-000000000001","code":"HARBOR","name":"Harbor Books","status":"Active","isVendor":true}'),
  ('0000000b-0000-4000-8000-000000000002', '{"id":"0000000b-0000-4000-8000-000000000002","code":"MERIDIAN","name":"Meridian Press","status":"Active","isVendor":true}'),
  ('0000000b-0000-4000-8000-000000000003', '{"id":"0000000b-0000-4000-8000-000000000003","code":"ELM","name":"Elm Street Library","status":"Active","isVendor":false}'),
  ('0000000b-0000-4000-8000-000000000004', '{"id":"0000000b-0000-4000-8000-000000000004","code":"OLDMILL","name":"Old Mill Bindery","status":"Inactive","isVendor":true}');
INSERT INTO instance (id, jsonb) VALUES
  ('0000001c-0000-4000-8000-000000000001', '{"id":"0000001c-0000-4000-8000-000000000001","hrid":"in00000001","title":"Sea kayaking for beginners","source":"LOCAL"}'),
  ('0000001c-0000-4000-8000-000000000002', '{"id":"0000001c-0000-4000-8000-000000000002","hrid":"in00000002","title":"A short history of maps","source":"LOCAL"}'),
  ('0000001c-0000-4000-8000-000000000003', '{"id":"0000001c-0000-4000-8000-000000000003","hrid":"in00000003","title":"Bread, yeast and time","source":"LOCAL"}');
INSERT INTO config_entry (id, jsonb) VALUES
  ('0000001e-0000-4000-8000-000000000001', '{"id":"0000001e-0000-4000-8000-000000000001","value":"1","module":"ORDERS","enabled":true,"configName":"poLines-limit"}');
