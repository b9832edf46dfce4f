"""Tries a case on an API server, and compares the answer with the case."""

from dataclasses import dataclass

from . import cases
from .server import objects_path


@dataclass
class Verdict:
    """The API server's answer to a case."""

    accepted: bool
    message: str
    stored: dict   # spec and status as they are stored; {} when refused

    def word(self):
        return "accepted" if self.accepted else "refused"


def try_case(server, definition, case):
    """Tries a case without leaving objects: creation alone is a dry run, an object that is changed is deleted."""
    path = objects_path(definition)
    if case.change is None:
        return verdict_on(*server.write("POST", path, case.create, dryRun="All"))
    code, created = server.write("POST", path, case.create)
    if code != 201:
        raise RuntimeError(f"{case.title}: the object to change is refused: {created.get('message')}")
    own = f"{path}/{created['metadata']['name']}"
    try:
        return verdict_on(*change(server, own, case, created))
    finally:
        server.call("DELETE", own)


def change(server, own, case, created):
    changed = {**case.change, "metadata": {**case.change["metadata"],
                                           "resourceVersion": created["metadata"]["resourceVersion"]}}
    way = f"{own}/{case.subresource}" if case.subresource else own
    return server.write("PUT", way, changed, dryRun="All")


def verdict_on(code, body):
    if code in (200, 201):
        return Verdict(True, "", {key: body[key] for key in ("spec", "status") if key in body})
    if code not in (400, 422):
        raise RuntimeError(f"neither accepted nor refused: {code} {body.get('message')}")
    return Verdict(False, body.get("message", ""), {})


def complaint(case, verdict):
    """What is wrong with a verdict, in one line; "" when it is the expected one."""
    if verdict.word() != case.expects():
        return f"expected {case.expects()}, was {verdict.word()} {verdict.message}"
    for part in case.refused or []:
        if part not in verdict.message:
            return f"expected a message with {part!r}, got: {verdict.message}"
    for path, value in case.stored.items():
        found = cases.look_up(verdict.stored, path)
        if found != (cases.NOWHERE if value is None else value):
            got = "nothing" if found is cases.NOWHERE else repr(found)
            return f"expected {path} to be stored as {value!r}, got {got}"
    return ""
