-- D18: stocks of items of some prices 30 days before and after a day, where they changed by no more than
-- a half up or a third down.
WITH stocks AS (
  SELECT inv_warehouse_sk AS warehouse_sk, inv_item_sk AS item_sk,
         CAST(sum(CASE WHEN inv_date_sk < $1 THEN inv_quantity_on_hand ELSE 0 END) AS bigint)
           AS stock_before,
         CAST(sum(CASE WHEN inv_date_sk < $1 THEN 0 ELSE inv_quantity_on_hand END) AS bigint)
           AS stock_after
  FROM inventory
  JOIN date_dim ON d_date_sk = inv_date_sk
  JOIN item ON i_item_sk = inv_item_sk
  WHERE d_date_sk BETWEEN $1 - 30 AND $1 + 30 AND i_current_price BETWEEN $2 AND $2 + 500
  GROUP BY inv_warehouse_sk, inv_item_sk
)
SELECT w_warehouse_sk, w_warehouse_name, i_item_sk, i_item_id, stock_before, stock_after
FROM stocks
JOIN warehouse ON w_warehouse_sk = warehouse_sk
JOIN item ON i_item_sk = item_sk
WHERE stock_before > 0 AND stock_after * 3 >= stock_before * 2 AND stock_after * 2 <= stock_before * 3
ORDER BY w_warehouse_sk, i_item_sk
LIMIT 100
