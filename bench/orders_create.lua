-- wrk: POSTs of purchase orders; every number is new.
local token = os.getenv("DUET_TOKEN") or ""
local headers = { ["Content-Type"] = "application/json" }
if token ~= "" then headers["Authorization"] = "Bearer " .. token end
local path = os.getenv("DUET_PATH")
local seed = tonumber(os.getenv("DUET_SEED") or "1") % 1000000000
local count = 0

request = function()
  count = count + 1
  local body = string.format(
    '{"poNumber":"Z%09d%06d","orderType":"One-Time","workflowStatus":"Pending","approved":false,"manualPo":false,"reEncumber":false,'
      .. '"vendor":"0000000b-0000-4000-8000-000000000001","notes":["Load test"]}',
    seed, count)
  return wrk.format("POST", path, headers, body)
end
