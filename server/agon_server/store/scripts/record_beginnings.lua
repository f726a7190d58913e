-- Reads how the records of results begin. ARGV: bytes, then the ids of the results.
-- Answers the id of the newest entry that the stream does not have any more, and the beginnings.
local about = redis.call('XINFO', 'STREAM', KEY.RESULTS)
local gone = '0-0'
for i = 1, #about, 2 do
  if about[i] == 'max-deleted-entry-id' then gone = about[i + 1] end
end
local begins = {}
for i = 2, #ARGV do begins[i - 1] = redis.call('GETRANGE', KEY.RECORD .. ARGV[i], 0, ARGV[1] - 1) end
return {gone, begins}
