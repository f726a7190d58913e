-- Tells where a match is. ARGV: match. Answers {phase, owner, address, epoch}.
local state = read_hash(KEY.MATCH .. ARGV[1])
if state then
  return {state.owner and 'running' or 'waiting', state.owner or '', state.address or '', tonumber(state.epoch)}
end
local kind = remembered(ARGV[1])
if kind then return {kind, '', '', 0} end
return {redis.call('HEXISTS', KEY.DEAD, ARGV[1]) == 1 and 'dead' or 'unknown', '', '', 0}
