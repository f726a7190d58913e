"""The bot SDK: what a bot is written against, how it plays on servers and at home. It names no game."""
