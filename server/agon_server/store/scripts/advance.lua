-- Moves a reader's cursor forward, never back. ARGV: reader, cursor.
advance(ARGV[1], ARGV[2])
