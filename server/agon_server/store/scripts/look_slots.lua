-- Counts the slots that matches hold and those that are reserved, at one moment. ARGV: matches that have a state, though
-- perhaps no entry.
-- Answers {place and held slots ..., place and reserved slots ...}, each a list.
local held, seen = {}, {}
local function count(match)
  local seats = not seen[match] and redis.call('HGET', KEY.MATCH .. match, 'seats')
  seen[match] = true
  if not seats then return end
  for _, place in ipairs(places_of(seats)) do held[place] = (held[place] or 0) + 1 end
end

for _, match in ipairs(ARGV) do count(match) end
for _, stream in ipairs(redis.call('SMEMBERS', KEY.QUEUES)) do
  local after = '-'
  while after do
    local page = redis.call('EXISTS', stream) == 1 and redis.call('XRANGE', stream, after, '+', 'COUNT', 100) or {}
    for _, found in ipairs(page) do count(read_fields(found[2]).match or '') end
    after = #page == 100 and '(' .. page[100][1] or nil
  end
end
local flat = {}
for place, slots in pairs(held) do
  table.insert(flat, place)
  table.insert(flat, slots)
end
return {flat, redis.call('HGETALL', KEY.RESERVED)}
