-- Cancels a match on the organiser's behalf. ARGV: match, reason. Answers 'removed' (it waited), 'asked' (its referee
-- will end it) or 'unknown'.
local match = ARGV[1]
local state = read_hash(KEY.MATCH .. match)
if not state then return 'unknown' end
if state.owner then
  redis.call('HSET', KEY.MATCH .. match, 'cancel', ARGV[2])
  return 'asked'
end

write_result(match, state, {kind = 'cancelled', termination = 'cancelled', reason = ARGV[2]})
settle(state)
retire(match, state)
return 'removed'
