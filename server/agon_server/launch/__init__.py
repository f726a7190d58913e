"""Bots that the server starts itself, as processes like all others."""
