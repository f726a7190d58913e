-- Makes a dead letter of a claimed match. ARGV: server, match, epoch, entry, reason. Answers 1, or 0 where the claim was
-- lost.
local match = ARGV[2]
local state = read_hash(KEY.MATCH .. match)
if not state or state.owner ~= ARGV[1] or state.epoch ~= ARGV[3] then return 0 end

bury(match, state, ARGV[4], ARGV[5])
return 1
