"""An agent decides online which headline to show; clicks arrive late, out of order, or never."""

import random
import tempfile
from collections import Counter
from pathlib import Path

import armwise as aw

CLICKS = {"plain": 0.30, "question": 0.45, "number": 0.60}  # what the agent has to find out


def main() -> None:
    readers = random.Random(1)
    agent = aw.Agent(aw.ApproximateActiveInference(lam=0.5), aw.Smile(rho=0.001))
    player = agent.start(list(CLICKS), seed=7)
    state = Path(tempfile.mkdtemp()) / "state.json"
    on_the_way: list[tuple[int, int]] = []  # ticket numbers and clicks that have not arrived yet
    shown: Counter[str | int] = Counter()

    for visit in range(1, 3001):
        ticket = player.choose()
        shown[ticket.arm] += 1
        clicked = int(readers.random() < CLICKS[str(ticket.arm)])
        if readers.random() < 0.9:  # one reader in ten is never heard of again
            on_the_way.append((ticket.number, clicked))
        else:
            player.forget(ticket)
        if len(on_the_way) > 20:  # outcomes come late and in any order
            number, outcome = on_the_way.pop(readers.randrange(len(on_the_way)))
            player.observe(number, outcome)
        if visit % 1000 == 0:
            shares = ", ".join(f"{arm} {shown[arm] / 10:.0f} %" for arm in player.arms)
            print(f"visits {visit - 999:4} to {visit}: {shares}")
            shown.clear()
        if visit == 1000:  # the program restarts: tickets on the way stay good
            player.save(state)
            player = aw.load_player(state)
            print(f"restarted with {len(player.open)} outcomes on the way")
        if visit == 2000:  # the best headline is withdrawn, a new one comes
            player.remove_arm("number")
            player.add_arm("quote")
            CLICKS["quote"] = 0.70
            print("'number' is withdrawn, 'quote' is new")

    for arm, (alpha, beta) in player.beliefs().items():
        mean = alpha / (alpha + beta)
        print(f"{arm}: clicks believed {mean:.2f}, true {CLICKS[str(arm)]:.2f}")


if __name__ == "__main__":
    main()
