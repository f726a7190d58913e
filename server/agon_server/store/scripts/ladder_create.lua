-- Keeps a new ladder, and with it the files that its options name.
-- ARGV: name, definition, then for each file its hash and text
-- Answers 1; 0 where the name is taken, and nothing is changed.
if redis.call('HSETNX', KEY.LADDERS, ARGV[1], ARGV[2]) == 0 then return 0 end
for i = 3, #ARGV, 2 do redis.call('HSET', KEY.FILES, ARGV[i], ARGV[i + 1]) end
return 1
