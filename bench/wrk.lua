-- SPDX-License-Identifier: Apache-2.0
-- For wrk: posts a run (or what WRK_BODY says) and counts answers by status. WRK_TOKEN is the daemon's token.
local body = os.getenv("WRK_BODY")
if body and body ~= "" then
    wrk.method = "POST"
    wrk.body = body
    wrk.headers["Content-Type"] = "application/json"
end
wrk.headers["Authorization"] = "Bearer " .. (os.getenv("WRK_TOKEN") or "")

local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

function init()
    statuses = ""
    counts = {}
    odd = 0
end

-- Of a run, each 200 has to be a result that went well.
function response(status, headers, text)
    counts[status] = (counts[status] or 0) + 1
    if status == 200 and wrk.body and not text:find('"success":true', 1, true) then
        odd = odd + 1
    end
    statuses = ""
    for known, count in pairs(counts) do
        statuses = statuses .. known .. "=" .. count .. " "
    end
end

function done(summary, latency)
    local all, failed = {}, 0
    for _, thread in ipairs(threads) do
        failed = failed + thread:get("odd")
        for known, count in thread:get("statuses"):gmatch("(%d+)=(%d+)") do
            all[known] = (all[known] or 0) + tonumber(count)
        end
    end
    local e, parts = summary.errors, {}
    for known, count in pairs(all) do
        table.insert(parts, string.format('"%s": %d', known, count))
    end
    io.write(string.format(
        'RESULT {"seconds": %.3f, "p50": %.3f, "p99": %.3f, "max": %.3f, "odd": %d, "statuses": {%s}, ' ..
        '"connect": %d, "read": %d, "write": %d, "timeout": %d}\n',
        summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3, failed,
        table.concat(parts, ", "), e.connect, e.read, e.write, e.timeout))
end
