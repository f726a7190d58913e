-- Stores rating rows of a table that is to replace another one. ARGV: key, how many are kept, within how many ms the table
-- is done, then result id, match, rating rows ...
for i = 4, #ARGV, 3 do
  redis.call('XADD', ARGV[1], 'MAXLEN', ARGV[2], ARGV[i], 'match', ARGV[i + 1], 'rows', ARGV[i + 2])
end
-- Where its maker dies, nobody else would take them away.
redis.call('PEXPIRE', ARGV[1], ARGV[3])
