-- Removes some of the oldest results that all readers have taken, with their records. ARGV: how many of the newest stay, how many go at most.
-- Answers {how many went, how many more would go if all readers had taken them, the reader that has taken least}.
local archived, folded, slowest, least_ms, least_number = false, false, '', math.huge, math.huge
local readers = redis.call('HGETALL', KEY.READERS)
for i = 1, #readers, 2 do
  archived = archived or string.sub(readers[i], 1, 8) == 'archive:'
  folded = folded or string.sub(readers[i], 1, 7) == 'ladder:'
  local ms, number = order(readers[i + 1])
  if ms < least_ms or (ms == least_ms and number < least_number) then
    slowest, least_ms, least_number = readers[i], ms, number
  end
end

local spare = redis.call('XLEN', KEY.RESULTS) - ARGV[1]
if spare <= 0 or not (archived and folded) then return {0, math.max(0, spare), slowest} end
local went = 0
for _, found in ipairs(redis.call('XRANGE', KEY.RESULTS, '-', '+', 'COUNT', math.min(spare, tonumber(ARGV[2])))) do
  local ms, number = order(found[1])
  if ms > least_ms or (ms == least_ms and number > least_number) then break end
  went = went + redis.call('XDEL', KEY.RESULTS, found[1])
  redis.call('UNLINK', KEY.RECORD .. found[1])
end
return {went, spare - went, slowest}
