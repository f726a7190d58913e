"""`python -m agon_server` is `agon`."""

import sys

from agon_server.cli import main

# Guarded, since a worker process imports the main module again.
if __name__ == "__main__":
    sys.exit(main())
