"""A refusal as the real service words it, and what this fake refuses because it does not play it."""


class Fault(Exception):
    """Ends a call: `code` and `message` go to the client in the form of its protocol, with `status`."""

    def __init__(self, code, message="", status=400):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.status = code, message, status


class NotPlayed(Fault):
    """A valid request of the real service that this fake has no answer to: loud, so that nothing is ignored unseen."""

    def __init__(self, what):
        super().__init__("NotPlayedByFake", f"the fake does not play {what}", 501)


class Hang(Exception):
    """No reply ever comes, as from a peer whose packets are lost; the connection is held for `seconds`."""

    def __init__(self, seconds):
        super().__init__(f"no reply within {seconds} s")
        self.seconds = seconds
