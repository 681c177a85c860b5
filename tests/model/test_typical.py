"""Where people typically are: a fact on a parameter's field, for fits alone."""

import pytest

from armwise import registry
from armwise.errors import InputError
from armwise.model.component import parameter, parameters_of

ROLES = ("policy", "learner", "choice")
FIELDS = [
    (cls, field)
    for role in ROLES
    for cls in registry.known(role).values()
    for field in parameters_of(cls)
]


def test_what_people_are_fitted_with_says_where_they_typically_are():
    stated = {f"{cls.label} {field.name}" for cls, field in FIELDS if field.metadata["typical"]}
    assert {"A-AI lam", "G-AI lam", "SMiLe rho", "softmax precision", "habitual stick"} <= stated


def test_it_lies_in_the_range():
    for _, field in FIELDS:
        if field.metadata["typical"]:
            low, high = field.metadata["typical"]
            assert low < high
            assert field.metadata["range"].admits(low)
            assert field.metadata["range"].admits(high)


@pytest.mark.parametrize("wrong", [(2, 1), (-1, 1), (1, 9)])
def test_what_cannot_be_typical_is_refused(wrong):
    with pytest.raises(InputError, match="typical must be"):
        parameter(meaning="any", low=0, high=5, typical=wrong)
