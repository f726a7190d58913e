-- Reads how the records of results begin. ARGV: bytes, then the ids of the results.
local begins = {}
for i = 2, #ARGV do begins[i - 1] = redis.call('GETRANGE', KEY.RECORD .. ARGV[i], 0, ARGV[1] - 1) end
return begins
