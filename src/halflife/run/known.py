"""What a worker remembers of addresses it has already passed on, so that a known link costs one look-up."""

from __future__ import annotations

KEPT_MAX = 400_000  # addresses a generation; two generations of small integers are about 100 MB at the most


class Known:
    """A bounded memory. It may forget: then the frontier is told again, and knows."""

    def __init__(self, kept_max: int = KEPT_MAX) -> None:
        self._kept_max = kept_max
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def fresh(self, urls: list[str], terms: int) -> list[int]:
        """The places of those not yet passed on, on terms at least as good (lower is better); remembers them."""
        young, old = self._young, self._old
        found = []
        for place, url in enumerate(urls):
            key = hash(url)
            before = young.get(key)
            if before is None:
                before = old.get(key)
            if before is None or before > terms:
                young[key] = terms
                found.append(place)
        if len(young) > self._kept_max:
            self._old, self._young = young, {}
        return found
