-- wrk: batches of new transactions by POST to _/batch; every id is new. DUET_ROWS rows in each.
local token = os.getenv("DUET_TOKEN") or ""
local headers = { ["Content-Type"] = "application/json" }
if token ~= "" then headers["Authorization"] = "Bearer " .. token end
local path = os.getenv("DUET_PATH")
local seed = os.getenv("DUET_SEED") or "1"
local rows = tonumber(os.getenv("DUET_ROWS") or "100")
local count = 0
-- The rows that were refused, in the results of all batches.
refused = 0

function setup(thread) threads = threads or {}; table.insert(threads, thread) end

request = function()
  local items = {}
  for row = 1, rows do
    count = count + 1
    items[row] = string.format(
      '{"id":"%s-%d","transaction_type":"PAYMENT","account":"ACC-%d","amount":%d,"currency":"EUR","description":"Order %d","status":"SUCCESS","message":"created"}',
      seed, count, count % 1000, count % 100000, count)
  end
  return wrk.format("POST", path, headers, "[" .. table.concat(items, ",") .. "]")
end

response = function(status, _, body)
  local _, made = string.gsub(body, '{"status":201', '')
  if status ~= 200 or made ~= rows then refused = refused + 1 end
end

function done()
  for _, thread in ipairs(threads) do
    if thread:get("refused") > 0 then print("Non-2xx: batches with a refused row: " .. thread:get("refused")) end
  end
end
