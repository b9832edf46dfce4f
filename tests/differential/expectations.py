"""Compares the peer's plan for a hand-written case with the expected plan (the case's peer.json).

Keys of peer.json, all optional: `why` (for the reader), `nodeClaims` (a list in any order; each names what has to hold),
`existingNodes` (node -> pods), `unschedulable` (pod -> start of the message; exactly these pods), `pricePerHour`.
"""


def unmet(expected, plan):
    """Returns one line for each expectation that the plan does not meet."""
    problems = []
    if "nodeClaims" in expected and not matches_in_some_order(expected["nodeClaims"], plan["nodeClaims"]):
        problems.append(f"nodeClaims: expected {expected['nodeClaims']}, got {[describe(c) for c in plan['nodeClaims']]}")
    if "existingNodes" in expected:
        nodes = {node["name"]: node["pods"] for node in plan["existingNodes"]}
        if nodes != expected["existingNodes"]:
            problems.append(f"existingNodes: expected {expected['existingNodes']}, got {nodes}")
    if "unschedulable" in expected:
        problems += unmet_messages(expected["unschedulable"], plan["unschedulable"])
    if "pricePerHour" in expected and abs(plan["price"]["perHour"] - expected["pricePerHour"]) > 1e-6:
        problems.append(f"price: expected {expected['pricePerHour']}, got {plan['price']['perHour']}")
    return problems


def unmet_messages(expected, entries):
    messages = {entry["pod"]: entry["message"] for entry in entries}
    if messages.keys() != expected.keys():
        return [f"unschedulable: expected {sorted(expected)}, got {messages}"]
    return [f"{pod}: expected a message that starts with {start!r}, got {messages[pod]!r}"
            for pod, start in expected.items() if not messages[pod].startswith(start)]


def matches_in_some_order(expected, claims):
    """Whether each claim can be matched with an expectation of its own. Tries all orders, since cases are small."""
    if len(expected) != len(claims):
        return False
    if not expected:
        return True
    return any(claim_meets(expected[0], claim) and matches_in_some_order(expected[1:], claims[:i] + claims[i + 1:])
               for i, claim in enumerate(claims))


def claim_meets(expected, claim):
    actual = describe(claim)
    return all(actual[key] == value for key, value in expected.items())


def describe(claim):
    choice = claim["choice"] or {}
    return {
        "pods": len(claim["pods"]),
        "instanceTypes": claim["instanceTypes"],
        "requests": claim["requests"],
        "zone": choice.get("zone"),
        "capacityType": choice.get("capacityType"),
    }
