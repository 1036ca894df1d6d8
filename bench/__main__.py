"""`python -m bench NAME [arguments]`: one comparison. Without a name: what there is."""

from __future__ import annotations

import importlib
import sys

NAMES = {
    "crawl": "pages per CPU second, wall time and memory, against Scrapy, crawlee, a bare loop and wget2",
    "frontier": "ten million addresses on 100,000 hosts: add, lease, finish, resume",
    "focus": "the area under the harvest curve, against breadth-first order and paper mode",
}


def main(argv: list[str]) -> int:
    """List the comparisons, or run one."""
    if not argv:
        for name, line in NAMES.items():
            print(f"{name:<10}{line}")
        return 0
    if argv[0] not in NAMES:
        print(f"bench: no comparison is called {argv[0]!r}: there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    importlib.import_module(f"bench.{argv[0]}").main(argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
