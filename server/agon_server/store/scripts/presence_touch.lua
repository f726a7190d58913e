-- Gives signs of life. ARGV: ms until they count as gone, then place and token ...
-- Answers for each 0 (replaced or expired), 1 (held), 2 (held, but retired) or 3 (the same, with no slot reserved).
local answer = {}
local until_ms = now_ms() + ARGV[1]
for i = 2, #ARGV, 2 do
  local place = ARGV[i]
  local token, version = unpack(redis.call('HMGET', KEY.PRESENCE .. place, 'token', 'version'))
  local sign = 0
  if token == ARGV[i + 1] then
    redis.call('ZADD', KEY.ONLINE, until_ms, place)
    local bot = split_place(place)
    sign = not is_retired(bot, version) and 1 or redis.call('HEXISTS', KEY.RESERVED, place) == 1 and 2 or 3
  end
  table.insert(answer, sign)
end
return answer
