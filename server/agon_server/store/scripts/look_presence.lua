-- Reads connected bot processes as they are at one moment. ARGV: places.
-- Answers {now, then for each place its score in ONLINE (empty: not there) and its process (empty: no presence) ...}.
local answer = {now_ms()}
for _, place in ipairs(ARGV) do
  table.insert(answer, redis.call('ZSCORE', KEY.ONLINE, place) or '')
  table.insert(answer, redis.call('HGET', KEY.PRESENCE .. place, 'process') or '')
end
return answer
