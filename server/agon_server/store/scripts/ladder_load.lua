-- Reads a ladder's table as it is at one moment. ARGV: ladder.
-- Answers {facts, rows by bot, partial blocks}, each as field and value ...
return {
  redis.call('HGETALL', KEY.TABLE .. ARGV[1]),
  redis.call('HGETALL', KEY.STANDING .. ARGV[1]),
  redis.call('HGETALL', KEY.PARTIAL .. ARGV[1]),
}
