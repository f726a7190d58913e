-- Reads the states of matches, each with what belongs to it as it is at one moment. ARGV: matches.
-- Answers for each that has one {match, 1 where its entry is in its queue, entry of the index of running matches by seat
-- (empty: none), its state as field and value ...}.
local answer = {}
for _, match in ipairs(ARGV) do
  local state = read_hash(KEY.MATCH .. match)
  if state then
    local there = 0
    if state.stream and state.id and redis.call('EXISTS', state.stream) == 1 then
      local found = redis.call('XRANGE', state.stream, state.id, state.id)
      if #found > 0 and read_fields(found[1][2]).match == match then there = 1 end
    end
    local running = {}
    for seat, place in ipairs(places_of(state.seats)) do
      local bot, instance = split_place(place)
      table.insert(running, redis.call('HGET', KEY.RUNNING .. bot, instance .. '/' .. match .. '/' .. (seat - 1)) or '')
    end
    table.insert(answer, {match, there, running, redis.call('HGETALL', KEY.MATCH .. match)})
  end
end
return answer
