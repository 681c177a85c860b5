"""The Bernoulli divergence and its inverse against SciPy and each other."""

import math

import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from armwise.numerics.divergence import kl, kl_upper

inside = st.floats(1e-9, 1.0 - 1e-9)


@given(inside, inside)
def test_kl_is_that_of_scipy(p, q):
    expected = scipy.special.rel_entr(p, q) + scipy.special.rel_entr(1.0 - p, 1.0 - q)
    assert kl(p, q) == pytest.approx(max(expected, 0.0), rel=1e-9, abs=1e-14)


def test_kl_at_the_ends():
    assert kl(0.0, 0.0) == kl(1.0, 1.0) == 0.0
    assert kl(0.3, 0.0) == kl(0.3, 1.0) == kl(0.0, 1.0) == kl(1.0, 0.0) == math.inf
    assert kl(0.0, 0.25) == -math.log(0.75)
    assert kl(1.0, 0.25) == -math.log(0.25)


@given(st.floats(1e-6, 1.0 - 1e-6), st.floats(1e-9, 20.0))
def test_the_upper_bound_has_the_divergence_asked_for(p, bound):
    u = kl_upper(p, bound)
    assert p <= u <= 1.0
    if u < 1.0 - 1e-12:
        slope = (u - p) / (u * (1.0 - u))
        assert abs(kl(p, u) - bound) <= 1e-12 * (1.0 + bound) + 4e-16 * slope


@given(st.floats(0.0, 1.0), st.floats(0.0, 30.0), st.floats(0.0, 30.0))
def test_a_wider_bound_is_no_lower(p, one, other):
    assert kl_upper(p, min(one, other)) <= kl_upper(p, max(one, other)) + 1e-15


def test_bounds_at_the_ends():
    assert kl_upper(0.4, 0.0) == 0.4
    assert kl_upper(1.0, 5.0) == 1.0
    assert kl_upper(0.0, 700.0) == 1.0
    assert kl_upper(0.5, 1e6) == 1.0


def test_the_smallest_numbers_are_as_good_as_zero():
    for p in (5e-324, 2.2e-313, 1e-308):
        assert kl(p, 0.8) == pytest.approx(kl(0.0, 0.8), rel=1e-12)
        assert kl_upper(p, 2.0) == pytest.approx(kl_upper(0.0, 2.0), rel=1e-12)
