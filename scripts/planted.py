"""The self-test of a script that looks for violations: what it has to catch is planted, and what it must let pass."""


def self_test(title, caught, harmless, violations):
    """1 when something slips through or is wrongly caught, else 0; says so.

    `caught`: pairs of a case and a part of the complaint that must follow; `harmless`: cases. `violations(case)`: those
    that come with it."""
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
