INSERT INTO by_bytes VALUES ('\x00ff', 1), ('\xfbefbe', 2);
