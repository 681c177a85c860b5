"""What hypotheses about the last change say, for a person, and how they do with other arms.

Nothing here is compiled.
"""

from typing import Any

from armwise.actors._hypotheses import PRIOR, USED, Hypotheses, since

RECENT = 20  # outcomes that `recent_change` looks back


def rearranged_hypotheses(
    known: Hypotheses, arms: int, most: int, places: list[int], fresh: float
) -> list[float]:
    """The memory once arms came or went; of a new arm nothing is known under any hypothesis."""

    def row(values: Any, new: float) -> list[float]:
        return [new if place < 0 else values[place] for place in places]

    def rows(values: Any) -> list[float]:  # with a row per arm
        nothing = [0.0] * most
        parts = (nothing if at < 0 else values[at * most : at * most + most] for at in places)
        return [value for part in parts for value in part]

    def columns(values: Any, new: float) -> list[float]:  # with a row per hypothesis
        used = int(known.head[USED])
        parts = (row(values[j * arms : j * arms + arms], new) for j in range(used))
        whole = [value for part in parts for value in part]
        return whole + [0.0] * (len(places) * most - len(whole))

    sums = [row(each, 0.0) for each in (known.successes, known.failures, known.score, known.blend)]
    kept = [*known.weight, *known.chance, *known.share, *known.belief]
    counts = [*rows(known.before), *rows(known.missed)]
    mean = known.head[PRIOR] / (known.head[PRIOR] + known.head[PRIOR + 1])
    values = [*columns(known.mean, mean), *columns(known.worth, fresh)]
    return [*known.head, *(value for each in sums for value in each), *kept, *counts, *values]


def mixture_of(known: Hypotheses, arms: int, most: int) -> list[tuple[float, list, list]]:
    """The belief about the arms: a Beta belief per hypothesis, with the weight of it."""
    found = []
    for number in range(int(known.head[USED])):
        counts = [since(known, most, arm, number) for arm in range(arms)]
        alpha = [known.head[PRIOR] + successes for successes, _ in counts]
        beta = [known.head[PRIOR + 1] + failures for _, failures in counts]
        found.append((known.weight[number], alpha, beta))
    return found


def recent_change(known: Hypotheses, arms: int, most: int) -> dict[str, Any]:
    """The probability that all arms changed during the last outcomes, by a name."""
    total = 0.0
    for number in range(int(known.head[USED])):
        after = sum(sum(since(known, most, arm, number)) for arm in range(arms))
        whole = sum(known.successes[arm] + known.failures[arm] for arm in range(arms))
        total += known.weight[number] if after <= RECENT and after < whole else 0.0
    return {f"change within {RECENT} outcomes": float(total)}


def facts_of(known: Hypotheses, arms: int, most: int, rates: Any) -> dict[str, Any]:
    """What is believed about changes: a recent one, and how often they come."""
    beliefs = known.belief[: len(rates)]
    rate = sum(each * belief for each, belief in zip(rates, beliefs, strict=True)) / sum(beliefs)
    return recent_change(known, arms, most) | {"rate of changes": float(rate)}
