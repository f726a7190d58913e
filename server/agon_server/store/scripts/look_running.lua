-- Reads entries of the index of running matches that belong to no match. ARGV: bots.
-- Answers for each of them {bot, its name in the index}.
local answer = {}
for _, bot in ipairs(ARGV) do
  for _, name in ipairs(redis.call('HKEYS', KEY.RUNNING .. bot)) do
    local instance, match, seat = string.match(name, '^(.*)/([^/]*)/(%d+)$')
    local state = match and read_hash(KEY.MATCH .. match)
    local places = state and places_of(state.seats) or {}
    if not (state and state.owner and places[tonumber(seat) + 1] == bot .. '/' .. instance) then
      table.insert(answer, {bot, name})
    end
  end
end
return answer
