-- Changes the definition of a ladder, unless it is another one by now. ARGV: name, definition, what becomes of it
-- Answers 1; 0 where nothing is changed.
if redis.call('HGET', KEY.LADDERS, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEY.LADDERS, ARGV[1], ARGV[3])
return 1
