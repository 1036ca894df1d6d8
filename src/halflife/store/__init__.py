"""What is kept: the frontier, and segments of what was fetched, read and judged.

In: records. Out: records, rows. Never: decides anything; talks to the network. The only room with SQL and file formats.
Start at: `folder.py` (where everything lies), then `segment.py` (written), `mend.py` (repaired), `reading.py` (read)
and `frontier.py` (updated in place). docs/formats.md explains the files to those who read them without halflife.
"""

from halflife.store.export import write_parquet
from halflife.store.fates import Fate
from halflife.store.folder import Folder
from halflife.store.frontier import RANK_MAX, Entry, Frontier
from halflife.store.journal import notes
from halflife.store.mend import mend
from halflife.store.reading import PageFilter, links_to, opened, pages, pages_table, visits_of, weight_of
from halflife.store.segment import SegmentWriter

__all__ = [
    "RANK_MAX", "Entry", "Fate", "Folder", "Frontier", "PageFilter", "SegmentWriter", "links_to", "mend", "notes",
    "opened", "pages", "pages_table", "visits_of", "weight_of", "write_parquet",
]  # fmt: skip
