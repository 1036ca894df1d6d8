"""Records as text for people and programs. In: records. Out: tables, lines, CSV, JSON. Never: asks, or writes, anything.

Whatever comes from the web is made harmless here, at the edge: see `plain`. Start at `text.py`.
"""

from __future__ import annotations

from halflife.report.closing import closing_lines, is_unanswered, progress_line, unanswered
from halflife.report.demo import demo_lines
from halflife.report.listing import FORMATS, rows_as
from halflife.report.text import counted, plain, size_words, table
from halflife.report.why import why_lines

__all__ = [
    "FORMATS", "closing_lines", "counted", "demo_lines", "is_unanswered", "plain", "progress_line", "rows_as", "size_words",
    "table", "unanswered", "why_lines",
]  # fmt: skip
