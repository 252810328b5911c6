-- D17: the items sold in a year of which the largest shares came back, by pieces and by money.
WITH returned AS (
  SELECT ss_item_sk AS item_sk,
         CAST(sum(ss_quantity) AS bigint) AS sold,
         CAST(sum(COALESCE(sr_return_quantity, 0)) AS bigint) AS came_back,
         CAST(sum(ss_net_paid) AS bigint) AS paid,
         CAST(sum(COALESCE(sr_return_amt, 0)) AS bigint) AS paid_back
  FROM store_sales
  JOIN date_dim ON d_date_sk = ss_sold_date_sk
  LEFT JOIN store_returns ON sr_ticket_number = ss_ticket_number AND sr_item_sk = ss_item_sk
  WHERE d_year = $1
  GROUP BY ss_item_sk
  HAVING sum(ss_net_paid) > 0
),
ranked AS (
  SELECT returned.*,
         rank() OVER (ORDER BY CAST(came_back AS double precision) / sold DESC) AS rank_of_pieces,
         rank() OVER (ORDER BY CAST(paid_back AS double precision) / paid DESC) AS rank_of_money
  FROM returned
)
SELECT i_item_sk, i_item_id, sold, came_back, paid, paid_back,
       CAST(came_back AS double precision) / sold AS share_of_pieces,
       CAST(paid_back AS double precision) / paid AS share_of_money,
       rank_of_pieces, rank_of_money
FROM ranked
JOIN item ON i_item_sk = item_sk
ORDER BY rank_of_pieces, rank_of_money, i_item_sk
LIMIT 100
