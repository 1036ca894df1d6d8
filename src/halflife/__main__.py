"""`python -m halflife` is `halflife`."""

from __future__ import annotations

import sys

from halflife.cli import main

if __name__ == "__main__":
    sys.exit(main())
