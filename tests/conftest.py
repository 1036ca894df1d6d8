"""What holds for all tests: hypothesis draws the same examples each time, so that a run says something of the change.

HALFLIFE_HYPOTHESIS=searching draws others each time: for a search by hand.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.register_profile("searching")
settings.load_profile(os.environ.get("HALFLIFE_HYPOTHESIS", "steady"))
