"""What names may be: of bots and owners, of ladders, servers, games and rulings. Pure; what a wrong one raises is up to
those who ask."""

from __future__ import annotations

import re

MAX_BOT_NAME = 40
BOT_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
"""Of bots and owners."""
LADDER_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
SERVER_NAME = LADDER_NAME
RULING_ID = re.compile(r"[a-z0-9-]{1,64}")
GAME_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")

_CHARACTERS = "of a-z, 0-9, '.', '_', '-', a letter or digit first"
BOT_RULE = f"1 to {MAX_BOT_NAME} {_CHARACTERS}"
"""`BOT_NAME` in words."""
LADDER_RULE = SERVER_RULE = f"1 to 63 {_CHARACTERS}"
"""`LADDER_NAME` in words."""
