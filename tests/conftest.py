"""What holds for all tests: a property's examples have no deadline of their own, since the machine may be busy; and
Ctrl-C works for what they start, also where they run in the background of a shell, which lets it be ignored."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("agon", deadline=None)
settings.load_profile("agon")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
