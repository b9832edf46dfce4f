"""The record of all calls: what came, who sent it, what was answered; and how many of each kind."""

import threading
from collections import Counter, deque
from dataclasses import asdict, dataclass, field

KEPT = 200_000


@dataclass
class Call:
    number: int
    time: float                 # of the fake's clock
    service: str = ""
    action: str = ""
    region: str = ""
    access_key: str = ""
    params: dict = field(default_factory=dict)
    status: int = 0             # 0: no reply was given
    code: str = ""              # of an error
    request_id: str = ""
    seconds: float = 0.0        # until the reply was ready
    body_bytes: int = 0
    user_agent: str = ""
    attempt: str = ""           # what the client says of it: attempt=2; max=3
    method: str = ""
    path: str = ""


class Calls:
    def __init__(self):
        self._calls, self._count, self._lock = deque(maxlen=KEPT), 0, threading.Lock()
        self._totals = Counter()

    def begin(self, time):
        with self._lock:
            self._count += 1
            call = Call(self._count, time)
            self._calls.append(call)
            return call

    def end(self, call):
        with self._lock:
            self._totals[call.service, call.action, call.code or ("ok" if call.status else "no reply")] += 1

    def select(self, service=None, action=None, since=0, code=None):
        """Calls after number `since`, in their order, as dicts."""
        with self._lock:
            calls = list(self._calls)
        return [asdict(call) for call in calls if call.number > since and service in (None, call.service)
                and action in (None, call.action) and code in (None, call.code)]

    def totals(self):
        """[{service, action, code, count}], sorted."""
        with self._lock:
            rows = sorted(self._totals.items())
        return [dict(zip(("service", "action", "code"), key), count=count) for key, count in rows]

    def metrics(self):
        """The totals as Prometheus reads them."""
        lines = ["# TYPE fake_aws_calls_total counter"]
        lines += ['fake_aws_calls_total{{service="{service}",action="{action}",code="{code}"}} {count}'.format(**row)
                  for row in self.totals()]
        return "\n".join(lines) + "\n"

    def clear(self):
        with self._lock:
            self._calls.clear()
            self._totals.clear()
