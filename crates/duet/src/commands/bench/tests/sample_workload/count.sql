SELECT count(*) FROM fruit
