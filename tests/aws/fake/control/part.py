"""What the parts of the control share."""

import dataclasses
import functools


class Part:
    """A part of the control: its public methods are controls. They hold the fake's lock, as handlers do."""

    def __init__(self, fake):
        self._fake = fake

    def __init_subclass__(cls):
        for name, method in list(vars(cls).items()):
            if callable(method) and not name.startswith("_"):
                setattr(cls, name, locked(method))

    def _region(self, name):
        return self._fake.world.region(name or self._fake.settings.region)

    def _queue(self, name, region):
        return self._region(region).queues[name or self._fake.settings.cluster]


def locked(method):
    @functools.wraps(method)
    def run(self, *args, **kwargs):
        with self._fake.lock:
            return method(self, *args, **kwargs)
    return run


def set_field(thing, name, value):
    if name not in {field.name for field in dataclasses.fields(thing)}:
        raise ValueError(f"{type(thing).__name__} has no {name}")
    setattr(thing, name, value)
