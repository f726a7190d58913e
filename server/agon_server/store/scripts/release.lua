-- Gives matches back. ARGV: server, then for each claim match and epoch. Answers 1, or 0 (the claim was lost) for each.
local answer = {}
for i = 2, #ARGV, 2 do
  local match, key = ARGV[i], KEY.MATCH .. ARGV[i]
  local state = read_hash(key)
  local held = state and state.owner == ARGV[1] and state.epoch == ARGV[i + 1]
  if held then
    redis.call('HDEL', key, 'owner', 'address')
    redis.call('HSET', key, 'deliveries', math.max(0, tonumber(state.deliveries) - 1))
    leave_running(match, cjson.decode(state.seats))
    -- Idle for ten days: beyond any lease, so the next claim takes it.
    redis.call('XCLAIM', state.stream, KEY.GROUP, ARGV[1], 0, state.id, 'IDLE', 864000000, 'JUSTID')
  end
  table.insert(answer, held and 1 or 0)
end
return answer
