"""Which addresses are known: 64-bit fingerprint -> number of the address.

Fingerprints come in random order, so that an index which takes each as it comes writes one page for every one of them
as soon as it is larger than a few megabytes. Here the youngest are kept in memory, cut by their first bits into slices;
when there are too many, one slice after another is merged, sorted, into the table `known`: then each page is written
once for several of them. What is not merged yet is read again from the addresses themselves when the file is opened.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import xxhash

from halflife.store.database import Database

SLICES = 16  # a merge at ten million addresses takes about a tenth of a second: short enough for workers not to idle
YOUNG_MAX = 400_000  # fingerprints kept in memory: about 60 MB

_encoder = msgspec.json.Encoder()


def fingerprint(url: str) -> int:
    """64 bits that stand for an address: among ten million, two alike are one chance in 370,000."""
    return xxhash.xxh3_64_intdigest(url.encode()) - (1 << 63)


class Fingerprints:
    """All known fingerprints, the youngest in memory."""

    def __init__(self, db: Database, read_only: bool = False, young_max: int = YOUNG_MAX) -> None:
        self._db = db
        self._young_max = young_max
        self._young: list[dict[int, int]] = [{} for _ in range(SLICES)]
        self._count = 0
        self._turn = 0  # the slice that is merged next
        if not read_only:
            self._load()

    def _load(self) -> None:
        upto = [0] * SLICES
        for slice_, merged in self._db.rows("SELECT slice, upto FROM merged"):
            upto[slice_] = merged
        self._turn = upto.index(min(upto))
        for id_, hash_ in self._db.stream("SELECT id, hash FROM addresses WHERE id > ?", (min(upto),)):
            slice_ = hash_ >> 60
            if id_ > upto[slice_]:
                self._young[slice_][hash_] = id_
                self._count += 1

    def find(self, hashes: Iterable[int]) -> dict[int, int]:
        """The numbers of those that are known."""
        young = self._young
        found = {}
        rest = []
        for hash_ in hashes:
            id_ = young[hash_ >> 60].get(hash_)  # signed: slices -8 to 7, and a list counts from its end as well
            if id_ is None:
                rest.append(hash_)
            else:
                found[hash_] = id_
        if rest:
            found.update(
                self._db.rows(
                    "SELECT k.hash, k.id FROM json_each(?) j CROSS JOIN known k ON k.hash = j.value",
                    (_encoder.encode(rest).decode(),),
                )
            )
        return found

    def add(self, numbers: Iterable[tuple[int, int]], last_id: int) -> None:
        """Keep new ones (fingerprint, number); `last_id` is the highest number of all."""
        young = self._young
        for hash_, id_ in numbers:
            young[hash_ >> 60][hash_] = id_
            self._count += 1
        while self._count > self._young_max:
            self._merge(last_id)

    def _merge(self, last_id: int) -> None:
        slice_ = self._turn
        self._turn = (slice_ + 1) % SLICES
        ripe = self._young[slice_]
        self._db.many("INSERT INTO known (hash, id) VALUES (?, ?)", sorted(ripe.items()))
        self._db.run("INSERT OR REPLACE INTO merged (slice, upto) VALUES (?, ?)", (slice_, last_id))
        self._count -= len(ripe)
        self._young[slice_] = {}

    def find_one(self, hash_: int) -> int:
        """The number of one fingerprint, 0 for an unknown one, without anything in memory."""
        row = self._db.row("SELECT id FROM known WHERE hash = ?", (hash_,)) or self._db.row(
            "SELECT id FROM addresses WHERE id > coalesce((SELECT upto FROM merged WHERE slice = ?), 0) AND hash = ?",
            ((hash_ >> 60) % SLICES, hash_),
        )
        return int(row[0]) if row else 0
