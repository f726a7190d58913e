-- Takes the lease to fold and pair, where it is free or was this server's own. ARGV: server, ms.
-- Answers the new fencing token; 0 where another server holds the lease.
local held = redis.call('GET', KEY.LADDER_LEASE)
if held and string.match(held, '^%d+ (.*)$') ~= ARGV[1] then return 0 end

local token = redis.call('INCR', KEY.LADDER_FENCE)
redis.call('SET', KEY.LADDER_LEASE, token .. ' ' .. ARGV[1], 'PX', ARGV[2])
return token
