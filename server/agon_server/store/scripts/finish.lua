-- Ends a match with its record: the first one counts.
-- ARGV: server, match, epoch, record hash, record, termination, rated (0 or 1), plays again (0 or 1),
--       deal (the block where it is shared, else empty), outcome (JSON)
-- Answers {'done' | 'repeat' | 'conflict' | 'fenced', 1 where no match with this deal is left to play}.
local server, match, epoch, hash, record = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local deal = ARGV[9]

local function answer(status)
  return {status, deal == '' and 1 or 1 - redis.call('EXISTS', KEY.DEAL .. deal)}
end

local before, kept_hash = remembered(match)
if before then return answer(kept_hash == hash and 'repeat' or 'conflict') end

local state = read_hash(KEY.MATCH .. match)
if not state or state.owner ~= server or state.epoch ~= epoch then return answer('fenced') end

write_result(match, state,
  {kind = 'played', termination = ARGV[6], rated = ARGV[7], again = ARGV[8], hash = hash, record = record,
    outcome = ARGV[10]})
if ARGV[8] == '0' then settle(state) end
retire(match, state)
return answer('done')
