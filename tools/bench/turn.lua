-- SPDX-License-Identifier: MIT
-- wrk: chat turns of a set of conversations, one after another. Every request is built beforehand,
-- so that the load generator takes little of the processor it shares with the proxy.
-- Arguments: number of conversations, bytes of the body, `close` for a new connection each turn.
local requests = {}
local turn = 0

function init(args)
  local conversations = tonumber(args[1] or 256)
  local size = tonumber(args[2] or 1024)
  local head = '{"model":"bench","temperature":0.7,"messages":[{"role":"user","content":"'
  local body = head .. string.rep("a", size - #head - 4) .. '"}]}'
  for i = 1, conversations do
    requests[i] = wrk.format("POST", "/v1/chat/completions", {
      ["Connection"] = args[3] or "keep-alive",
      ["Content-Type"] = "application/json",
      ["Accept"] = "application/json",
      ["User-Agent"] = "OpenAI/Python 1.99.0",
      ["Authorization"] = "Bearer none",
      ["X-Session-Id"] = "bench-" .. i,
    }, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT requests=%d errors=%d per_second=%.1f p50_us=%d p99_us=%d\n",
    summary.requests, e.connect + e.read + e.write + e.status + e.timeout,
    summary.requests / summary.duration * 1e6, latency:percentile(50), latency:percentile(99)))
end
