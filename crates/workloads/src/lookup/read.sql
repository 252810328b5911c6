SELECT value FROM {table} WHERE key = $1
