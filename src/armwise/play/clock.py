"""The time of calls, which never runs backwards."""

import math
import time


class Steady:
    """The system's clock; where it was set back, time goes on from the latest that was seen.

    It does so at the pace of the machine, so that tickets go on expiring.

    >>> now = Steady()
    >>> ahead = now(0.0) + 1e6  # the clock was a while ahead, and is right again
    >>> now(ahead) == ahead
    True
    >>> time.sleep(0.01)
    >>> 0.009 < now(ahead) - ahead < 60.0
    True
    """

    def __init__(self) -> None:
        self._last, self._pace = -math.inf, 0.0

    def __call__(self, latest: float) -> float:
        """The time of a call, if `latest` is that of the call before, whoever made it."""
        clock, pace = time.time(), time.monotonic()
        if clock < latest:
            clock = max(latest, self._last + (pace - self._pace))
        self._last, self._pace = clock, pace
        return clock
