#!/usr/bin/env python3
"""The rules of consolidation.py on small made-up reports. Run it directly: test_consolidation.py."""

import unittest
from collections import Counter

import consolidation


def command(*types, saving=1.0):
    return {"nodes": ["a"], "saving": saving, "types": list(types)}


def report(single=None, multi=None, price=1.0, cost=2.0, consolidates=True):
    return {"candidates": [{"node": "a", "price": price, "cost": cost, "consolidates": consolidates, "single": single,
                            "why": "no room"}], "multi": multi}


def counted(theirs, ours):
    counts, problems = Counter(), []
    consolidation.compare(1, theirs, ours, counts, problems)
    return counts, problems


class Compare(unittest.TestCase):
    def test_equal_reports(self):
        counts, problems = counted(report(command("small")), report(command("small")))
        self.assertEqual(counts["alone: equal"], 1)
        self.assertEqual(problems, [])
        self.assertEqual(consolidation.verdict(counts), [])

    def test_going_is_better_than_being_replaced(self):
        self.assertEqual(counted(report(command("small")), report(command()))[0]["alone: better than Karpenter"], 1)

    def test_a_node_that_stays_is_a_failure(self):
        counts, problems = counted(report(command()), report())
        self.assertEqual(problems, ["fleet 1: a: goes with Karpenter, stays with tenon: no room"])
        self.assertIn("1 of 1 nodes end worse than with Karpenter", consolidation.verdict(counts))

    def test_other_types_are_not_equal(self):
        counts, _ = counted(report(command("small")), report(command("small", "large")))
        self.assertEqual(counts["alone: equal, other types"], 1)
        self.assertTrue(consolidation.verdict(counts))

    def test_prices_costs_and_candidates_are_compared(self):
        for other in (report(price=1.1), report(cost=3.0), report(consolidates=False)):
            self.assertEqual(counted(report(), other)[0]["candidates that differ"], 1)

    def test_several_nodes_are_compared_by_what_they_save(self):
        counts, _ = counted(report(multi=command(saving=2.0)), report(multi=command(saving=1.5)))
        self.assertEqual(counts["several: saves less"], 1)

    def test_a_fleet_without_a_report_counts_for_nothing(self):
        counts, _ = counted(None, report())
        self.assertEqual(counts["fleets of which Karpenter says nothing"], 1)
        self.assertTrue(consolidation.verdict(counts))


if __name__ == "__main__":
    unittest.main()
