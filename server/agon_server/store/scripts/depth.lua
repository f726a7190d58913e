-- Tells how full the queue is. Answers {waiting, running, dead, age of the longest waiting match in ms}.
local waiting, running, oldest = 0, 0, 0
local now = now_ms()
for _, stream in ipairs(redis.call('SMEMBERS', KEY.QUEUES)) do
  local groups = redis.call('EXISTS', stream) == 1 and redis.call('XINFO', 'GROUPS', stream) or {}
  if #groups > 0 then
    local group = read_fields(groups[1])
    running = running + group.pending
    waiting = waiting + redis.call('XLEN', stream) - group.pending
    local first = redis.call('XRANGE', stream, '(' .. group['last-delivered-id'], '+', 'COUNT', 1)
    if #first > 0 then oldest = math.max(oldest, now - tonumber(string.match(first[1][1], '^%d+'))) end
  end
end
return {waiting, running, redis.call('HLEN', KEY.DEAD), oldest}
