-- Reads bot processes that are there, and sweeps what is gone. ARGV: places; none: all.
-- Answers for each {place, reserved slots, then field and value ...}.
local now = now_ms()
for _, place in ipairs(redis.call('ZRANGEBYSCORE', KEY.ONLINE, '-inf', now, 'LIMIT', 0, 100)) do
  redis.call('DEL', KEY.PRESENCE .. place)
  redis.call('ZREM', KEY.ONLINE, place)
end

local answer = {}
for _, place in ipairs(#ARGV > 0 and ARGV or redis.call('ZRANGEBYSCORE', KEY.ONLINE, '(' .. now, '+inf')) do
  local until_ms = redis.call('ZSCORE', KEY.ONLINE, place)
  local state = redis.call('HGETALL', KEY.PRESENCE .. place)
  if until_ms and tonumber(until_ms) > now and #state > 0 then
    local row = {place, tonumber(redis.call('HGET', KEY.RESERVED, place) or 0)}
    for _, item in ipairs(state) do table.insert(row, item) end
    table.insert(answer, row)
  end
end
return answer
