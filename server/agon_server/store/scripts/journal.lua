-- Stores entries of running matches, in their order. ARGV: server, then for each entry its match, the epoch under which
-- it was accepted, and its line, which begins with its number.
-- Answers for each 1 (it is stored, now or before), 0 (the claim was lost), -1 (entries before it are missing) or
-- -2 (another one is stored under its number).
local server = ARGV[1]
local call = redis.call
local answer = {}
for i = 2, #ARGV, 3 do
  local match, line = ARGV[i], ARGV[i + 2]
  local state = call('HMGET', KEY.MATCH .. match, 'owner', 'epoch')
  local stored = 0
  if state[1] == server and state[2] == ARGV[i + 1] then
    local key, number = KEY.JOURNAL .. match, tonumber(string.match(line, '^%[(%d+)'))
    local length = redis.pcall('LLEN', key)
    if type(length) ~= 'number' then
      stored = -2 -- no list: only this match's, and not the others' in the call
    elseif number == length then
      call('RPUSH', key, line)
      stored = 1
    elseif number > length then
      stored = -1
    else
      stored = call('LINDEX', key, number) == line and 1 or -2
    end
  end
  answer[#answer + 1] = stored
end
return answer
