CREATE FUNCTION pg_temp.read_{table}(first bigint, last bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  wanted bigint := first;
  found_value text;
  is_right bigint := 0;
BEGIN
  WHILE wanted <= last LOOP
    SELECT value INTO found_value FROM lookup.{table} WHERE key = wanted;
    IF found_value = 'value ' || wanted THEN
      is_right := is_right + 1;
    END IF;
    wanted := wanted + 1;
  END LOOP;
  RETURN is_right;
END $$
