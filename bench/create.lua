-- wrk: CREATE of transactions; every id is new.
local token = os.getenv("DUET_TOKEN") or ""
local headers = { ["Content-Type"] = "application/json" }
if token ~= "" then headers["Authorization"] = "Bearer " .. token end
local path = os.getenv("DUET_PATH")
local seed = os.getenv("DUET_SEED") or "1"
local count = 0

request = function()
  count = count + 1
  local body = string.format(
    '{"id":"%s-%d","transaction_type":"PAYMENT","account":"ACC-%d","amount":%d,"currency":"EUR","description":"Order %d","status":"SUCCESS","message":"created"}',
    seed, count, count % 1000, count % 100000, count)
  return wrk.format("POST", path, headers, body)
end
