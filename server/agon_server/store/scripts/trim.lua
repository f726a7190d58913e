-- Removes some of the oldest results that all readers have taken. ARGV: how many of the newest stay, how many go at most.
-- Answers how many went.
local archived, folded, least_ms, least_number = false, false, math.huge, math.huge
local readers = redis.call('HGETALL', KEY.READERS)
for i = 1, #readers, 2 do
  archived = archived or string.sub(readers[i], 1, 8) == 'archive:'
  folded = folded or string.sub(readers[i], 1, 7) == 'ladder:'
  local ms, number = order(readers[i + 1])
  if ms < least_ms or (ms == least_ms and number < least_number) then least_ms, least_number = ms, number end
end
if not (archived and folded) then return 0 end

local spare = math.min(redis.call('XLEN', KEY.RESULTS) - ARGV[1], tonumber(ARGV[2]))
if spare <= 0 then return 0 end
local went = 0
for _, found in ipairs(redis.call('XRANGE', KEY.RESULTS, '-', '+', 'COUNT', spare)) do
  local ms, number = order(found[1])
  if ms > least_ms or (ms == least_ms and number > least_number) then break end
  went = went + redis.call('XDEL', KEY.RESULTS, found[1])
end
return went
