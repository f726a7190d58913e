-- Gives signs of life. ARGV: ms until they count as gone, then place and token ... Answers 1 or 0 (replaced) for each.
local answer = {}
local until_ms = now_ms() + ARGV[1]
for i = 2, #ARGV, 2 do
  local held = redis.call('HGET', KEY.PRESENCE .. ARGV[i], 'token') == ARGV[i + 1]
  if held then redis.call('ZADD', KEY.ONLINE, until_ms, ARGV[i]) end
  table.insert(answer, held and 1 or 0)
end
return answer
