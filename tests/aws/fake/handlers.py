"""The registry of what the fake plays: a function for each action, whose keyword arguments are the parameters it takes."""

import inspect


class Handler:
    def __init__(self, function):
        self.function = function
        names = list(inspect.signature(function).parameters)
        self.params = set(names[1:])        # the first is the context

    def run(self, context):
        with context.fake.lock:
            return self.function(context, **context.params)


HANDLERS = {}


def action(service, *names):
    """Registers a function as the handler of an action (or several) of a service."""
    def register(function):
        for name in names:
            HANDLERS[service, name] = Handler(function)
        return function
    return register
