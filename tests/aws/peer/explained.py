"""What differs, and why: it is taken out of both before they are compared."""

MOST_TYPES = 60         # of a fleet
AT_THE_CUT = 2          # types of equal price at most, of which one has the one and the other the other


def leave_out(theirs, ours):
    for one, other in zip(theirs.get("fleets", []), ours.get("fleets", [])):
        leave_out_types(one["Overrides"], other["Overrides"])


def leave_out_types(theirs, ours):
    """Types of the family a1, which AL2023 does not boot on: Karpenter remembers for all classes together whether they can be
    used, so in a cluster with several families of images they are missing where they could be, or are asked for where they
    cannot. And as many types where the 60 cheapest end: those that take their places, and those of equal price."""
    had = [types_of(overrides) for overrides in (theirs, ours)]
    remove(theirs, lambda kind: kind.startswith("a1."))
    remove(ours, lambda kind: kind.startswith("a1."))
    only_theirs, only_ours = types_of(theirs) - types_of(ours), types_of(ours) - types_of(theirs)
    if all(len(types) == MOST_TYPES for types in had) and max(len(only_theirs), len(only_ours)) <= AT_THE_CUT:
        remove(theirs, lambda kind: kind in only_theirs)
        remove(ours, lambda kind: kind in only_ours)


def types_of(overrides):
    return {key.split()[0] for key in overrides}


def remove(overrides, is_out):
    for key in [key for key in overrides if is_out(key.split()[0])]:
        del overrides[key]
