-- Reads entries of the results stream with their records. ARGV: XRANGE or XREVRANGE, from, to, how many at most.
-- Answers for each {its id, its fields, its record (empty: none)}.
local found = redis.call(ARGV[1], KEY.RESULTS, ARGV[2], ARGV[3], 'COUNT', ARGV[4])
for _, entry in ipairs(found) do entry[3] = redis.call('GET', KEY.RECORD .. entry[1]) or '' end
return found
