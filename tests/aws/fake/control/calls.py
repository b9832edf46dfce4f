"""The record of calls, and what is done to calls that come."""

from tests.aws.fake.control.part import Part


class Calls(Part):
    def calls(self, service=None, action=None, since=0, code=None):
        """The calls after number `since`, oldest first."""
        return self._fake.calls.select(service, action, int(since), code)

    def totals(self):
        return self._fake.calls.totals()

    def metrics(self):
        return self._fake.calls.metrics()

    def forget_calls(self):
        self._fake.calls.clear()

    def fault(self, effect, **about):
        """Adds a rule (rules.Rule) and returns its number: fault(effect="error", action="ec2:CreateFleet",
        share=0.3, code="RequestLimitExceeded", status=503)."""
        return self._fake.rules.add(effect, **about)

    def heal(self, number=None):
        """Removes one rule, or all."""
        self._fake.rules.remove(number)

    def faults(self):
        return self._fake.rules.list()

    def throttle(self, enabled=None, action=None, size=None, rate=None):
        """Switches EC2's throttling; or sets the bucket of an action. Without arguments: all buckets full again."""
        if enabled is not None:
            self._fake.throttle.enabled = enabled
        if action:
            self._fake.throttle.set_limit(action, size, rate)
        if enabled is None and not action:
            self._fake.throttle.reset()
