"""Settings out of range: the message names the option as it is typed."""

from __future__ import annotations

from math import inf, nan

import pytest

from halflife.errors import SettingError
from halflife.judge.options import between, finite


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_what_lies_between_passes_with_both_ends(value: float) -> None:
    between("some_name", value, 0.0, 1.0)
    finite("some_name", value)


@pytest.mark.parametrize("value", [-0.001, 1.001, inf, -inf, nan])
def test_what_lies_outside_is_refused(value: float) -> None:
    with pytest.raises(SettingError) as caught:
        between("some_name", value, 0.0, 1.0)
    assert str(caught.value) == f"--some-name {value:g}: must be between 0 and 1"


@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_no_number_is_refused(value: float) -> None:
    with pytest.raises(SettingError) as caught:
        finite("w_out", value)
    assert str(caught.value) == f"--w-out {value:g}: must be an ordinary number"
