"""The fake's time. The world's goes on with the machine's and can be moved ahead; the one that its servers show can be wrong.

States, expiries and prices follow `now`; signatures and Date headers `wall`. So a test may let an hour pass without making
its client's signatures late, and may play a clock skew without ending anything.
"""

import threading
import time
from datetime import datetime, timezone


class Clock:
    def __init__(self):
        self.ahead = self.skew = 0.0
        self._lock = threading.Lock()

    def now(self):
        """Seconds since 1970 in the world."""
        return time.time() + self.ahead

    def wall(self):
        """Seconds since 1970 by the servers' clocks."""
        return time.time() + self.skew

    def set_skew(self, seconds):
        """How far the servers' clocks are ahead of the machine's; negative: behind."""
        self.skew = float(seconds)

    def advance(self, seconds):
        """Lets time pass in the world without waiting."""
        with self._lock:
            self.ahead += float(seconds)


def utc(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc)


def iso(seconds, fraction=True):
    """2026-11-23T08:00:00.000Z, or without milliseconds."""
    text = utc(seconds).isoformat(timespec="milliseconds" if fraction else "seconds")
    return text.replace("+00:00", "Z")
