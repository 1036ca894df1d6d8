"""What to fetch, and in which order: scope, traps and expectations.

In: addresses, and the weights measured so far. Out: reasons why not to fetch, and expected weights.
Never: waits, fetches, or touches anything outside itself. Start at: `scope.py`.
"""

from halflife.plan.expect import Expectations
from halflife.plan.scope import Scope
from halflife.plan.traps import TRAPS, Traps

__all__ = ["TRAPS", "Expectations", "Scope", "Traps"]
