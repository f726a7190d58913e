"""The queue of matches, and the stream of their results."""
