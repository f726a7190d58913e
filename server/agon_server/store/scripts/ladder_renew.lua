-- Keeps the lease to fold and pair, or gives it back (0 ms). ARGV: server, token, ms.
-- Answers 1, or 0 where it is lost.
if redis.call('GET', KEY.LADDER_LEASE) ~= ARGV[2] .. ' ' .. ARGV[1] then return 0 end

redis.call('PEXPIRE', KEY.LADDER_LEASE, ARGV[3])
return 1
