#!/usr/bin/env python3
"""The rules of compare.py and expectations.py on small made-up plans. Run it directly: test_compare.py."""

import unittest

import compare
import expectations


def plan(placed="", left="", price=1.0, checker=""):
    """A plan from texts: placed pods, pods that are not placed, the checker's output."""
    made = compare.read_plan({
        "nodeClaims": [{"name": f"node-of-{pod}", "pods": [f"default/{pod}"]} for pod in placed.split()],
        "existingNodes": [],
        "unschedulable": [{"pod": f"default/{pod}", "message": "no instance type has enough resources, requirements=x"}
                          for pod in left.split()],
        "price": {"perHour": price},
    })
    compare.add_complaints(made, checker)
    return made


def judge(tenon, *runs):
    """Compares; the workload of pod a1 is a, of b2 is b."""
    pods = set().union(*(p.placed | p.messages.keys() for p in (tenon, *runs)))
    return compare.compare(tenon, list(runs), {pod: pod[:-1] for pod in pods})


class Compare(unittest.TestCase):
    def test_same_pods_are_equal_and_prices_are_kept(self):
        verdict = judge(plan("a1 a2", price=2.0), plan("a1 a2", price=3.0), plan("a2 a1", price=2.5))
        self.assertEqual((verdict.outcome, verdict.prices), (compare.EQUAL, (2.0, 2.5)))
        self.assertTrue(verdict.passed)

    def test_other_pods_of_the_same_workload_are_equal(self):
        self.assertEqual(judge(plan("a1", "a2"), plan("a2", "a1")).outcome, compare.EQUAL)

    def test_fewer_fails_with_tenons_reason(self):
        verdict = judge(plan("a1", "a2"), plan("a1 a2"))
        self.assertEqual(verdict.outcome, compare.FEWER)
        self.assertFalse(verdict.passed)
        self.assertEqual(verdict.causes, ["default/a: 1 fewer; tenon says: no instance type has enough resources"])

    def test_more_passes_with_karpenters_reason(self):
        verdict = judge(plan("a1 a2"), plan("a1", "a2"))
        self.assertEqual(verdict.outcome, compare.MORE)
        self.assertEqual(verdict.causes, ["default/a: 1 more; Karpenter says: no instance type has enough resources"])
        self.assertIsNone(verdict.prices)

    def test_trade_is_named_and_does_not_pass(self):
        verdict = judge(plan("a1 b1 b2", "a2"), plan("a1 a2 b1", "b2"))
        self.assertEqual(verdict.outcome, compare.TRADE)
        self.assertFalse(verdict.passed)

    def test_more_in_all_passes_with_what_one_workload_is_short_of(self):
        verdict = judge(plan("a1 b1 b2 b3", "a2"), plan("a1 a2 b1", "b2 b3"))
        self.assertEqual(verdict.outcome, compare.MORE_IN_ALL)
        self.assertTrue(verdict.passed)
        self.assertEqual(verdict.causes, ["default/a: 1 fewer; tenon says: no instance type has enough resources"])

    def test_karpenters_best_run_counts(self):
        self.assertEqual(judge(plan("a1", "a2"), plan("", "a1 a2"), plan("a1 a2")).outcome, compare.FEWER)

    def test_one_of_several_equally_good_runs_is_enough(self):
        verdict = judge(plan("a1 b1 b2", "a2"), plan("a1 a2 b1", "b2"), plan("a1 b1 b2", "a2"))
        self.assertEqual(verdict.outcome, compare.EQUAL)

    def test_refused_pods_do_not_count(self):
        verdict = judge(plan("a1", "a2"), plan("a1 a2", checker="violation: spread: pod default/a2: skew 3 > 1"))
        self.assertEqual((verdict.outcome, dict(verdict.kinds)), (compare.REFUSED, {"spread": 1}))
        self.assertTrue(verdict.passed)

    def test_refusal_of_another_workload_is_no_excuse(self):
        verdict = judge(plan("a1 b1", "a2"), plan("a1 a2 b1", checker="violation: spread: pod default/b1: skew"))
        self.assertNotIn(verdict.outcome, compare.PASSING)

    def test_more_refused_pods_than_the_difference_are_no_excuse_for_the_rest(self):
        verdict = judge(plan("", "a1 a2"), plan("a1 a2", checker="violation: spread: pod default/a2: skew"))
        self.assertEqual(verdict.outcome, compare.FEWER)

    def test_a_refused_nodeclaim_takes_out_its_pods(self):
        verdict = judge(plan("a1", "a2"), plan("a1 a2", checker="violation: limits: claim node-of-a2: cpu 12 > 10"))
        self.assertEqual((verdict.outcome, dict(verdict.kinds)), (compare.REFUSED, {"limits": 1}))

    def test_a_plan_refused_as_a_whole_counts_for_nothing(self):
        verdict = judge(plan("a1", "a2"), plan("a1 a2", checker="violation: limits: nodepool default: cpu 12 > 10"))
        self.assertEqual((verdict.outcome, dict(verdict.kinds)), (compare.REFUSED, {"limits (whole plan)": 1}))

    def test_tenons_own_violation_fails(self):
        verdict = judge(plan("a1", checker="violation: taints: pod default/a1: t=x:NoSchedule"), plan("", "a1"))
        self.assertEqual(verdict.outcome, compare.TENON_REFUSED)
        self.assertFalse(verdict.passed)

    def test_price_of_a_refused_run_is_not_used(self):
        verdict = judge(plan("a1", price=2.0), plan("a1", price=1.0, checker="violation: spread: pod default/a1: skew"))
        self.assertIsNone(verdict.prices)

    def test_workload_is_the_app_label_or_the_pod(self):
        pod = {"kind": "Pod", "metadata": {"name": "p", "labels": {"app": "web"}}}
        bare = {"kind": "Pod", "metadata": {"name": "q", "namespace": "n"}}
        self.assertEqual(compare.workloads_of({"items": [pod, bare, {"kind": "Node"}]}),
                         {"default/p": "default/web", "n/q": "n/q"})


class Expectations(unittest.TestCase):
    claim = {"pods": ["default/a"], "instanceTypes": ["m.large"], "requests": {}, "choice": {"zone": "a", "capacityType": "spot"}}
    made = {"nodeClaims": [claim, {**claim, "choice": {"zone": "b", "capacityType": "spot"}}], "existingNodes": [],
            "unschedulable": [{"pod": "default/x", "message": "did not tolerate taint (taint=t)"}], "price": {"perHour": 0.5}}

    def test_met_in_any_order(self):
        expected = {"nodeClaims": [{"zone": "b"}, {"zone": "a", "pods": 1}], "pricePerHour": 0.5,
                    "unschedulable": {"default/x": "did not tolerate"}, "existingNodes": {}}
        self.assertEqual(expectations.unmet(expected, self.made), [])

    def test_each_kind_of_difference_is_told(self):
        expected = {"nodeClaims": [{"zone": "b"}, {"zone": "b"}], "pricePerHour": 0.4,
                    "unschedulable": {"default/x": "incompatible"}, "existingNodes": {"n": ["default/a"]}}
        self.assertEqual(len(expectations.unmet(expected, self.made)), 4)
        self.assertEqual(len(expectations.unmet({"unschedulable": {}}, self.made)), 1)
        self.assertEqual(len(expectations.unmet({"nodeClaims": []}, self.made)), 1)


if __name__ == "__main__":
    unittest.main()
