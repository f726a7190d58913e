"""How balanced a game's house material is, measured by self-play: `make balance`."""
