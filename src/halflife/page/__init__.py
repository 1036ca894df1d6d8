"""Pages: from the bytes of an answer to what a reader, or a crawler, finds there.

In: a Fetch and the decoded content of its answer. Out: a Page, or None when it is no page.
Never: fetches, judges, or raises for what the web does. Start at: `read.py`, then `html.py`.
"""

from halflife.page.read import read
from halflife.page.walk import IS_COMPILED

__all__ = ["IS_COMPILED", "read"]
