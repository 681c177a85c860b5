"""Outcomes that come in any order, long after later ones: every learner and actor stays sane."""

import math
from typing import Any

import numpy as np
import pytest

import armwise as aw
from armwise import actors, learners
from armwise.model.forms import REAL
from armwise.play.player import Player
from armwise.testing import policy_for

AGENTS: list[Any] = [
    *(getattr(actors, name)() for name in actors.__all__),
    *(
        aw.Agent(policy_for(learner, aw.UCB()), learner)
        for learner in (getattr(learners, name)() for name in learners.__all__)
    ),
]
RATES = 0.02, 0.3, 0.5, 0.97  # that wander from arm to arm


@pytest.mark.parametrize("agent", AGENTS, ids=str)
def test_late_outcomes_in_any_order_leave_sane_beliefs(agent: Any) -> None:
    player, luck = Player(agent, range(4), 3, compile=False), np.random.default_rng(8)
    waiting = []
    for trial in range(160):
        waiting += player.choose(2) if trial % 9 == 0 else [player.choose()]
        while len(waiting) > 40 or (waiting and luck.random() < 0.5):
            # The newest, the oldest, or any.
            place = [len(waiting) - 1, 0, int(luck.integers(len(waiting)))][luck.integers(3)]
            ticket = waiting.pop(place)
            rate = RATES[(int(ticket.arm) + trial // 50) % 4]
            player.observe(ticket, int(luck.random() < rate))
    assert not np.isnan(player._solo.whole).any()
    for row in player.explain().values():
        assert not any(map(math.isnan, row.values()))
        assert agent.outcomes == REAL or 0.0 <= row.get("mean", 0.5) <= 1.0
        assert row.get("low", 0.0) <= row.get("high", 1.0)
        assert -1e-9 <= row.get("best", 0.0) <= 1.0 + 1e-9
    if isinstance(agent, aw.Agent) and agent.outcomes != REAL:
        for alpha, beta in player.beliefs().values():
            assert 0.0 < alpha < math.inf
            assert 0.0 < beta < math.inf
