"""What holds for all tests: a property's examples have no deadline of their own, since the machine may be busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("agon", deadline=None)
settings.load_profile("agon")
