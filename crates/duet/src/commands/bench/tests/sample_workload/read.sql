SELECT price FROM fruit WHERE id = $1
