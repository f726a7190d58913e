-- Reads those bot processes that are there. ARGV: places.
-- Answers for each {place, reserved slots, 1 where it is retired (else 0), then field and value ...}.
local now = now_ms()
local answer = {}
for _, place in ipairs(ARGV) do
  local until_ms = redis.call('ZSCORE', KEY.ONLINE, place)
  local state = redis.call('HGETALL', KEY.PRESENCE .. place)
  if until_ms and tonumber(until_ms) > now and #state > 0 then
    local bot = split_place(place)
    local retired = is_retired(bot, read_fields(state).version) and 1 or 0
    local row = {place, tonumber(redis.call('HGET', KEY.RESERVED, place) or 0), retired}
    for _, item in ipairs(state) do table.insert(row, item) end
    table.insert(answer, row)
  end
end
return answer
