-- Reads those bot processes that are there. ARGV: places.
-- Answers for each {place, reserved slots, then field and value ...}.
local now = now_ms()
local answer = {}
for _, place in ipairs(ARGV) do
  local until_ms = redis.call('ZSCORE', KEY.ONLINE, place)
  local state = redis.call('HGETALL', KEY.PRESENCE .. place)
  if until_ms and tonumber(until_ms) > now and #state > 0 then
    local row = {place, tonumber(redis.call('HGET', KEY.RESERVED, place) or 0)}
    for _, item in ipairs(state) do table.insert(row, item) end
    table.insert(answer, row)
  end
end
return answer
