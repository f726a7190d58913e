"""The bots that ship with Agon; a server runs them as processes like all others, found by entry point."""
