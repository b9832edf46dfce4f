"""Self-test of a script that finds violations: plants cases that it has to find, and cases that it must accept."""


def self_test(title, caught, harmless, violations):
    """Returns 1, and prints it, when a violation is missed or a harmless case is reported; else 0.

    `caught`: pairs of a case and a part of the expected message; `harmless`: cases. `violations(case)`: the messages that
    planting the case adds."""
    failures = 0
    for case, complaint in caught:
        new = violations(case)
        if not any(complaint in problem for problem in new):
            failures += 1
            print(f"not caught: {case}: expected {complaint!r}, got {new}")
    for case in harmless:
        new = violations(case)
        if new:
            failures += 1
            print(f"wrongly caught: {case}: {new}")
    print(f"{title} self-test: {len(caught) + len(harmless) - failures} passed, {failures} failed")
    return 1 if failures else 0
