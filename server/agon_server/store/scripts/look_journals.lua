-- Reads journals, each with the state of its match at that moment. ARGV: matches.
-- Answers for each that has one {match, its type, 1 where the match has a state, decisions that its referee has reported,
-- lines that it had at the last claim, its lines ...}.
local answer = {}
for _, match in ipairs(ARGV) do
  local key = KEY.JOURNAL .. match
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' then
    local state = redis.call('HMGET', KEY.MATCH .. match, 'id', 'progress', 'journal')
    local row = {match, kind, state[1] and 1 or 0, state[2] or '0', state[3] or '0'}
    if kind == 'list' then
      for _, line in ipairs(redis.call('LRANGE', key, 0, -1)) do table.insert(row, line) end
    end
    table.insert(answer, row)
  end
end
return answer
