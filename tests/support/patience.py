"""How long tests wait for what must happen, before they fail."""

from __future__ import annotations

PATIENCE = 60.0
"""Seconds; far more than anything takes, also on a busy machine where processes stand still for a while. Half of what
a whole test may take."""
