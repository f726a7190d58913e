-- Lists the places that are there, and sweeps some of those that are gone. Answers places.
local now = now_ms()
for _, place in ipairs(redis.call('ZRANGEBYSCORE', KEY.ONLINE, '-inf', now, 'LIMIT', 0, 100)) do
  redis.call('DEL', KEY.PRESENCE .. place)
  redis.call('ZREM', KEY.ONLINE, place)
end
return redis.call('ZRANGEBYSCORE', KEY.ONLINE, '(' .. now, '+inf')
