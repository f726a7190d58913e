-- Keeps claims alive. ARGV: server, then for each claim match, epoch and progress. Answers 0 lost, 1 held, 2 to be
-- cancelled for each.
local answer = {}
for i = 2, #ARGV, 3 do
  local match, epoch, progress = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  local state = redis.call('HMGET', KEY.MATCH .. match, 'owner', 'epoch', 'progress', 'stream', 'id', 'cancel')
  local held = state[1] == ARGV[1] and state[2] == epoch
  if held then
    redis.call('XCLAIM', state[4], KEY.GROUP, ARGV[1], 0, state[5], 'JUSTID')
    if progress > tonumber(state[3]) then
      redis.call('HSET', KEY.MATCH .. match, 'progress', progress, 'deliveries', 0)
    end
  end
  table.insert(answer, not held and 0 or state[6] and 2 or 1)
end
return answer
