CREATE TRIGGER counted_counts AFTER INSERT ON counted BEGIN UPDATE total SET n = n + 1; END;
