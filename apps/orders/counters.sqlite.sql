CREATE TABLE IF NOT EXISTS po_line_number (
  purchase_order TEXT PRIMARY KEY REFERENCES purchase_order (id) ON DELETE CASCADE,
  last_number integer NOT NULL CHECK (last_number BETWEEN 1 AND 999)
);
