-- Holds a server's name. ARGV: name, run, folder, address, ms until it is free unless held again, 1 for a server that
-- starts (0: it goes on).
-- Answers '' when it is held; else the address of the server that holds it. One that starts takes the name over from
-- the same folder, whose lock proves that the other one is dead.
local key = KEY.SERVER .. ARGV[1]
local held = read_hash(key)
if held and held.run ~= ARGV[2] and (ARGV[6] == '0' or held.folder ~= ARGV[3]) then return held.address end

redis.call('HSET', key, 'run', ARGV[2], 'folder', ARGV[3], 'address', ARGV[4])
redis.call('PEXPIRE', key, ARGV[5])
return ''
