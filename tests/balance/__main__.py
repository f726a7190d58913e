"""`python -m tests.balance`: the command of `command.py`. Ctrl-C ends it with 130 while it is imported, too."""

import signal
import sys

if __name__ == "__main__":
    try:
        from tests.balance.command import main

        code = main()
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    sys.exit(code)
