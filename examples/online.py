"""An agent decides online which headline to show; clicks come late or never, headlines change."""

import random
import tempfile
from collections import Counter
from pathlib import Path

import armwise as aw

CLICKS = {"plain": 0.01, "question": 0.02, "number": 0.05}  # what the agent has to find out
# H-EFE, and a prior that expects one click in 50 views (docs/clicks.md). A view without a click
# among the next 300 counts as one without, and meanwhile, too.
AGENT = aw.Agent(aw.HorizonActiveInference(), aw.Smile(prior=(0.02, 50)))
NEVER = aw.Expiry(tickets=300, outcome=0, meanwhile=0)


def main() -> None:
    readers = random.Random(1)
    file = Path(tempfile.mkdtemp()) / "headlines.db"
    begun = {"arms": list(CLICKS), "seed": 7, "expires": NEVER}
    player = AGENT.open(file, **begun, durable="batch")  # other processes may open it, too
    on_the_way: list[int] = []  # the numbers of tickets whose clicks have not arrived yet
    shown: Counter[str | int] = Counter()

    for view in range(1, 15_001):
        ticket = player.choose()
        shown[ticket.arm] += 1
        if readers.random() < CLICKS[str(ticket.arm)]:
            on_the_way.append(ticket.number)
        if on_the_way and readers.random() < 0.1:  # clicks come late and in any order
            number = on_the_way.pop(readers.randrange(len(on_the_way)))
            if number in player.open:
                player.observe(number, 1)
        if view % 5_000 == 0:
            shares = ", ".join(f"{arm} {shown[arm] / 50:.0f} %" for arm in player.arms)
            print(f"views {view - 4_999:6,} to {view:6,}: {shares}")
            shown.clear()
        if view == 5_000:  # the program restarts: tickets on the way stay good
            player.close()
            player = AGENT.open(file, **begun, durable="batch")
            print(f"restarted with {len(player.open)} views that may still be clicked")
        if view == 10_000:  # the best headline is withdrawn, a new one comes
            player.remove_arm("number")
            player.add_arm("quote")
            CLICKS["quote"] = 0.06
            print("'number' is withdrawn, 'quote' is new")

    print(player.summary())
    player.close()


if __name__ == "__main__":
    main()
