-- Gives a server's name back. ARGV: name, run.
local key = KEY.SERVER .. ARGV[1]
if redis.call('HGET', key, 'run') == ARGV[2] then redis.call('DEL', key) end
