"""EC2's throttling: a bucket of tokens for each action, account and region, and of resources that are ended or begun.

Sizes and rates are EC2's documented defaults ("Request throttling for the Amazon EC2 API"; reference aws.md 11).
"""

import threading
import time

from tests.aws.fake.errors import Fault

# What a bucket holds, and what it gains each second.
NON_MUTATING = (100, 20)
UNFILTERED = (50, 10)       # of the actions below, without filters and pages
MUTATING = (50, 5)
UNFILTERED_ACTIONS = {"DescribeInstances", "DescribeInstanceStatus", "DescribeSecurityGroups"}
ACTIONS = {"RunInstances": (5, 2), "TerminateInstances": (100, 5), "CreateTags": (100, 10)}
RESOURCES = {"RunInstances": (1000, 2), "TerminateInstances": (1000, 20)}


class Bucket:
    def __init__(self, size, rate, now):
        self.size, self.rate, self.tokens, self.at = size, rate, float(size), now

    def take(self, count, now):
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens < count:
            return False
        self.tokens -= count
        return True


class Throttle:
    def __init__(self, enabled=True, clock=time.monotonic):
        self.enabled = enabled
        self.limits = {}        # action: (size, rate) instead of the default
        self._clock = clock
        self._buckets = {}
        self._lock = threading.Lock()

    def check(self, account, region, action, params):
        """Takes a token, and one for each instance that is ended. Raises RequestLimitExceeded where there is none."""
        if not self.enabled:
            return
        kind, limit = self.limit_of(action, params)
        counted = len(params.get("InstanceIds", ())) or params.get("MinCount", 1)
        with self._lock:
            if not self.take((account, region, kind), limit, 1):
                raise Fault("RequestLimitExceeded", "Request limit exceeded.", 503)
            if action in RESOURCES and not params.get("DryRun") \
                    and not self.take((account, region, action, "resources"), RESOURCES[action], counted):
                raise Fault("RequestLimitExceeded", "Request limit exceeded.", 503)

    def limit_of(self, action, params):
        """The name of the bucket and its size and rate."""
        if action in self.limits:
            return action, self.limits[action]
        if action in ACTIONS:
            return action, ACTIONS[action]
        if not action.startswith(("Describe", "Get")):
            return action, MUTATING
        plain = not any(params.get(name) for name in ("Filters", "MaxResults", "NextToken"))
        if action in UNFILTERED_ACTIONS and plain:
            return action + " unfiltered", UNFILTERED
        return action, NON_MUTATING

    def take(self, key, limit, count):
        now = self._clock()
        if key not in self._buckets:
            self._buckets[key] = Bucket(*limit, now)
        return self._buckets[key].take(count, now)

    def set_limit(self, action, size, rate):
        with self._lock:
            self.limits[action] = (size, rate)
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if key[2] != action}

    def reset(self):
        """All buckets full, all limits EC2's."""
        with self._lock:
            self.limits, self._buckets = {}, {}
