"""What a worker remembers of the links it has already looked at or passed on, so that a known one costs one look-up."""

from __future__ import annotations

KEPT_MAX = 400_000  # hashes a generation; two generations of small integers are about 100 MB at the most


class Known:
    """A bounded memory of hashes. It may forget: then the frontier is told again, and knows."""

    def __init__(self, kept_max: int = KEPT_MAX) -> None:
        self._kept_max = kept_max
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def fresh(self, hashes: list[int], terms: int) -> list[int]:
        """The places of those not yet met on terms at least as good (lower is better); remembers them."""
        young, old = self._young, self._old
        # Nearly all of them are known, so that much is asked in one go.
        perhaps = [place for place, met in enumerate(map(young.get, hashes)) if met is None or met > terms]
        found = []
        for place in perhaps:
            key = hashes[place]
            met = young.get(key)  # once more: it may stand among these twice
            if met is None:
                met = old.get(key)
            if met is None or met > terms:
                found.append(place)
                met = terms
            young[key] = met  # so that what is met again and again is not forgotten
        if len(young) > self._kept_max:
            self._old, self._young = young, {}
        return found
