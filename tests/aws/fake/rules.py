"""Faults that tests inject into calls: errors by share, latency, replies that are lost or cut after the effect."""

import itertools
import random
import threading
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase

from tests.aws.fake.errors import Fault

# error: refused before any effect. drop: the connection ends before any effect. delay: the call waits and goes on.
# lose: the effect happens, the connection ends without a reply. cut: the same, in the middle of the reply.
EFFECTS = ("error", "drop", "delay", "lose", "cut")


@dataclass
class Rule:
    number: int
    effect: str
    action: str = "*"           # pattern of service:Action
    share: float = 1.0          # of the calls that match
    times: int = None           # how often at most; None: always
    code: str = "InternalError"
    message: str = "An internal error has occurred"
    status: int = 500
    seconds: float = 0.0        # of delay
    done: int = 0


class Rules:
    def __init__(self, seed=1):
        self._rules, self._numbers = [], itertools.count(1)
        self._random, self._lock = random.Random(seed), threading.Lock()

    def add(self, effect, **about):
        if effect not in EFFECTS:
            raise ValueError(f"effect {effect!r} is none of {', '.join(EFFECTS)}")
        with self._lock:
            self._rules.append(Rule(next(self._numbers), effect, **about))
            return self._rules[-1].number

    def remove(self, number=None):
        """One rule, or all."""
        with self._lock:
            self._rules = [rule for rule in self._rules if number is not None and rule.number != number]

    def list(self):
        return [asdict(rule) for rule in self._rules]

    def hit(self, action):
        """The rules that come true for this call, each counted."""
        with self._lock:
            return [rule for rule in self._rules if fnmatchcase(action, rule.action) and self._comes_true(rule)]

    def _comes_true(self, rule):
        if rule.times is not None and rule.done >= rule.times or self._random.random() >= rule.share:
            return False
        rule.done += 1
        return True


def fault_of(rule):
    return Fault(rule.code, rule.message, rule.status)
