#!/usr/bin/env python3
"""Calls made and rights granted, both ways: from the audit logs of all clusters of the end-to-end tests.

    tests/e2e/rights_used.py [FOLDER]       default: build/e2e, after `E2E_AUDIT=1 tests/e2e/run.sh`

A right that the chart gives and no test has used is one too many, or a test too few; one that another one gives, too, could be taken
away unnoticed. A call that no right allows is one too few; one that was refused before the server knew of its right is not. So each
right that is taken away makes this fail: some test's call is refused. The last line is "N passed, N failed". Exit: 1 if anything failed.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from bed import rights


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else rights.TABLE.parents[3] / "build/e2e")
    logs = sorted(folder.rglob("audit.log"))
    if not logs:
        raise SystemExit(f"no audit log below {folder}: E2E_AUDIT=1 tests/e2e/run.sh writes them")
    made, allowed = read(logs)
    rules = [*rights.rules("cluster", "legacy", "lease", "legacyLease", "dns"),
             *(rule for given in rights.ON_REQUEST.values() for rule in given)]
    granted, doubled = expand(rules), twice(rules)
    unused = {right for right in granted if not any(fits(right, call) for call in allowed)}
    missing = {call for call in made if not any(fits(right, call) for right in granted)}
    for right in sorted(unused):
        print("never used:", *text(right))
    for call in sorted(missing):
        print("no right to:", *text(call))
    for right in doubled:
        print("given twice:", *text(right))
    failed = len(unused) + len(missing) + len(doubled)
    print(f"{len(granted) - len(unused)} passed, {failed} failed")
    return 1 if failed else 0


def read(logs):
    """(group, resource, verb, name) of all calls, and of those that were allowed."""
    made, allowed = set(), set()
    for log in logs:
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                call, was_allowed = parse(line)
                if call:
                    made.add(call)
                if was_allowed:
                    allowed.add(call)
    return made, allowed


def parse(line):
    try:
        record = json.loads(line)
    except ValueError:      # the server was killed while it wrote
        return None, False
    thing = record.get("objectRef")
    if not thing or "resource" not in thing:    # versions and lists of resources, which everyone may see
        return None, False
    resource = "/".join(filter(None, (thing["resource"], thing.get("subresource"))))
    call = (thing.get("apiGroup", ""), resource, record["verb"], thing.get("name", ""))
    return call, record.get("annotations", {}).get("authorization.k8s.io/decision") == "allow"


def expand(rules):
    """Every single right of the rules; its name is empty where all names are meant."""
    return {(group, resource, verb, name) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]
            for verb in rule["verbs"] for name in rule.get("resourceNames", [""])}


def twice(rules):
    """Rights that more than one rule gives, a name within all names among them."""
    found, count = [], Counter(right for rule in rules for right in expand([rule]))
    for right, times in count.items():
        if times > 1 or right[3] and (*right[:3], "") in count:
            found.append(right)
    return sorted(found)


def fits(right, call):
    """A server that streams what there is (WatchList) is asked to watch where an older one is asked for a list."""
    group, resource, verb, name = right
    verbs = (verb, "watch") if verb == "list" else (verb,)
    return (group, resource) == call[:2] and call[2] in verbs and name in ("", call[3])


def text(right):
    group, resource, verb, name = right
    return verb, f"{resource}{'.' if group else ''}{group}", name


if __name__ == "__main__":
    sys.exit(main())
