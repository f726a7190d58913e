"""Statistics of results: scores in Elo points and their intervals. They describe a table; they never change it."""
