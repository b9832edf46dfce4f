"""Time, settings, credentials and the metadata service."""

import dataclasses

from tests.aws.fake.control.part import Part, set_field


class Identities(Part):
    def clock(self, skew=None, advance=None):
        """Sets how far the servers' clocks are ahead of the machine's, or lets time pass in the world."""
        if skew is not None:
            self._fake.clock.set_skew(skew)
        if advance is not None:
            self._fake.clock.advance(advance)
        return {"skew": self._fake.clock.skew, "ahead": self._fake.clock.ahead}

    def timing(self, **seconds):
        """Sets how long things take (services.world.Timing). Returns all of it."""
        for name, value in seconds.items():
            set_field(self._fake.world.timing, name, value)
        return dataclasses.asdict(self._fake.world.timing)

    def settings(self, **values):
        """Sets what can still be set: session_seconds, fleet_body_max. Returns all but the secret."""
        for name, value in values.items():
            if name not in ("session_seconds", "fleet_body_max"):
                raise ValueError(f"{name} cannot be set while the fake runs")
            setattr(self._fake.settings, name, value)
        return {key: value for key, value in dataclasses.asdict(self._fake.settings).items() if key != "secret"}

    def user(self, access_key, secret, name="tenon", denied=()):
        self._fake.identities.add_user(access_key, secret, name, denied)

    def expire_sessions(self):
        self._fake.identities.expire_sessions()

    def deny(self, patterns):
        """Nobody may do what these patterns of service:Action say; an empty list allows all again."""
        self._fake.identities.denied = list(patterns)

    def web_token(self, token, seconds=3600):
        """A web identity token that STS takes, for so long."""
        self._fake.world.web_tokens[token] = self._fake.clock.now() + seconds

    def metadata(self, **values):
        """Sets what IMDS and the container endpoint are like (services.metadata.Settings). Returns all of it."""
        for name, value in values.items():
            set_field(self._fake.metadata.settings, name, value)
        return dataclasses.asdict(self._fake.metadata.settings)

    def expire_metadata_tokens(self):
        self._fake.metadata.expire_tokens()
