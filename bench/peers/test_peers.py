"""Tests of the programs of this folder: what is compared with what, and that the report says it."""

import sys
import unittest
import xml.dom.minidom
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import plot  # noqa: E402
import prices  # noqa: E402
import report  # noqa: E402

compare = prices.compare


def plan(price, *pods):
    return compare.Plan(placed=set(pods), messages={}, price=price, homes={})


def accept_all(number):
    return True


class Prices(unittest.TestCase):
    def test_the_cheapest_run_with_the_same_pods_counts(self):
        runs = [plan(3.0, "a", "b"), plan(2.5, "a", "b"), plan(1.0, "a")]
        self.assertEqual(prices.compare_prices(plan(2.0, "a", "b"), runs, accept_all).outcome, prices.BELOW)
        self.assertEqual(prices.compare_prices(plan(2.5, "a", "b"), runs, accept_all).outcome, prices.EQUAL)
        dearer = prices.compare_prices(plan(2.6, "a", "b"), runs, accept_all)
        self.assertEqual((dearer.outcome, dearer.karpenter), (prices.ABOVE, 2.5))

    def test_a_refused_run_is_no_yardstick(self):
        runs = [plan(1.0, "a"), plan(2.0, "a")]
        second_only = prices.compare_prices(plan(1.5, "a"), runs, lambda number: number == 1)
        self.assertEqual((second_only.outcome, second_only.karpenter), (prices.BELOW, 2.0))
        none = prices.compare_prices(plan(3.0, "a"), runs, lambda number: False)
        self.assertEqual(none.outcome, prices.ONLY_REFUSED)

    def test_a_cheaper_run_in_lighter_pools_is_no_yardstick(self):
        dearer = plan(3.0, "a")
        self.assertEqual(prices.compare_prices(dearer, [plan(2.0, "a")], accept_all, lambda run: True).outcome,
                         prices.LIGHTER_POOLS)
        heavy = compare.Plan(placed={"a", "b"}, messages={}, price=1, homes={"big-1": ["a"], "node-7": ["b"]})
        self.assertEqual(prices.weight_of(heavy, {"big": 50, "small": 10}), 50)

    def test_runs_above_tenon_need_no_checker(self):
        def fail(number):
            raise AssertionError("the checker was asked")
        self.assertEqual(prices.compare_prices(plan(1.0, "a"), [plan(2.0, "a")], fail).outcome, prices.BELOW)

    def test_a_valid_run_with_more_pods_counts_before_prices(self):
        def judged(mine, its, accepted=True, priorities=None):
            return prices.compare_plans(mine, [its], lambda number: accepted, lambda run: False, priorities or {}).outcome
        self.assertEqual(judged(plan(1.0, "a"), plan(9.0, "a", "b")), prices.FEWER)
        self.assertEqual(judged(plan(1.0, "a"), plan(9.0, "a", "b"), accepted=False), prices.OTHER_PODS)
        self.assertEqual(judged(plan(1.0, "a", "b"), plan(9.0, "a")), prices.OTHER_PODS)
        self.assertEqual(judged(plan(1.0, "a", "b"), plan(9.0, "c"), priorities={"c": 500}), prices.FEWER)
        self.assertEqual(judged(plan(1.0, "c"), plan(9.0, "a", "b"), priorities={"c": 500}), prices.OTHER_PODS)

    def test_floors_are_summed_where_there_are_any(self):
        compared = {"a": prices.Comparison(prices.EQUAL, 3.0, 3.0, floor=2.0), "b": prices.Comparison(prices.EQUAL, 9.0, 9.0)}
        self.assertEqual(prices.sums_over_floor(compared), (3.0, 2.0))

    def test_other_pods_are_not_compared(self):
        self.assertEqual(prices.compare_prices(plan(9.0, "a"), [plan(1.0, "b")], accept_all).outcome, prices.OTHER_PODS)


def tenon(ms, price, floor=None, nodes=10, pods=1000):
    return {"pods": pods, "median_ms": ms, "best_ms": ms, "price": price, "floor": floor, "nodes": nodes, "classes": 5,
            "rss_before_mib": 4.0, "rss_peak_mib": 8.0}


def karpenter(seconds, price, scheduled=1000):
    return {"solveSeconds": seconds, "pods": 1000, "scheduled": scheduled, "nodes": 12, "pricePerHour": price,
            "rssBeforeBytes": 50 * 2**20, "peakRssBytes": 90 * 2**20}


def results():
    rows = [
        {"case": "diverse", "label": "diverse", "pods": 1000, "existingNodes": 0,
         "karpenter": [karpenter(4.0, 300.0), karpenter(2.0, 310.0)],
         "tenon": {"fast": [tenon(2.0, 220.0), tenon(1.0, 220.0), tenon(9.0, 220.0)],
                   "normal": [tenon(10.0, 210.0, 200.0)]}},
        {"case": "diverse", "label": "diverse", "pods": 20000, "existingNodes": 0,
         "karpenter": [{"timeout": True}],
         "tenon": {"fast": [tenon(50.0, 4500.0, pods=20000)], "normal": [tenon(90.0, 4400.0, 4300.0, pods=20000)]}},
        {"case": "openb", "label": "openb (list)", "pods": 8152, "existingNodes": 0,
         "karpenter": [karpenter(12.0, 4973.77)],
         "tenon": {"fast": [tenon(2.0, 4500.0)], "normal": [tenon(60.0, 4390.0, 4277.48)],
                   "best": [tenon(4000.0, 4340.0, 4277.48)]}},
    ]
    alone = [{"case": "diverse", "label": "diverse", "pods": 100000, "existingNodes": 0,
              "tenon": {"fast": [tenon(300.0, 22000.0, pods=100000)], "normal": [{"error": "not done after 120 s"}]}}]
    return {"machine": {"cpu": "a CPU", "cpus": 2, "memoryGib": 8, "kernel": "6", "loadAtStart": 0.1},
            "versions": {"tenon": "abc", "karpenter": "v1", "builtWith": ""}, "date": "2026-01-01", "limitSeconds": 600,
            "peerWorkers": 5, "rows": rows, "alone": alone}


def line_of(page, start):
    line = next(line for line in page.splitlines() if line.startswith(start))
    return [cell.strip() for cell in line.split("|")[1:-1]]


class Report(unittest.TestCase):
    def setUp(self):
        self.page = report.render_page(results(), "results.svg")

    def test_times_are_karpenters_best_and_tenons_median(self):
        times = self.page[self.page.index("## Time"):]
        self.assertEqual(line_of(times, "| diverse | 1,000"),
                         ["diverse", "1,000", "2.00 s", "2.00 ms", "1,000×", "10.0 ms", "200×"])

    def test_costs_are_karpenters_cheapest_and_tenons_normal(self):
        costs = self.page[self.page.index("## Cost"):]
        self.assertEqual(line_of(costs, "| diverse | 1,000")[4:], ["300.00", "220.00", "210.00", "0.700", "200.00",
                                                                     "1.050", "1.500"])
        self.assertEqual(line_of(costs, "| openb (list)")[6:8], ["4,390.00", "0.883"])

    def test_costs_by_effort_are_shown_where_the_best_was_asked_for(self):
        efforts = self.page[self.page.index("## Cost by effort"):self.page.index("## Memory")]
        self.assertEqual(line_of(efforts, "| openb (list) | best")[4:], ["4,340.00", "4,277.48", "1.015"])
        self.assertNotIn("diverse", efforts)

    def test_a_peer_without_an_answer_gives_no_ratio(self):
        times = self.page[self.page.index("## Time"):]
        self.assertEqual(line_of(times, "| diverse | 20,000")[2:5], ["over 600 s", "50.0 ms", "–"])

    def test_a_run_that_placed_fewer_pods_is_not_the_cheapest(self):
        row = {"karpenter": [karpenter(1.0, 100.0, scheduled=900), karpenter(1.0, 300.0)]}
        self.assertEqual(report.karpenter_run(row)["pricePerHour"], 300.0)

    def test_failures_are_shown(self):
        self.assertIn("not done after 120 s", self.page)

    def test_a_candidate_is_compared_by_median_and_mean(self):
        with_fleet = results()
        one = {"fleet": "wasteful", "nodes": 1000, "pods": 20000, "candidates": 1000, "commands": 7, "facts_ms": 2.0,
               "pass_ms": 50.0, "changed_ms": 9.0, "whatif_us": 25.0, "whatif_late_us": 170.0, "whatifs_ms": 100.0,
               "rss_before_bytes": 9e7, "rss_peak_bytes": 12e7}
        self.assertIn("## Fleet\n\nNot measured", self.page)
        with_fleet["fleet"] = {"tenon": "abc", "date": "2026-01-02", "load": 0.1, "whole": [one], "sample": [one],
                               "karpenter": {"nodes": 1000, "seconds": [0.2, 0.3, 1.0]}}
        page = report.render_page(with_fleet, "results.svg")
        self.assertEqual(line_of(page, "| wasteful")[5:], ["2.00 ms", "50.0 ms", "9.00 ms", "25.0 µs", "170.0 µs", "120"])
        self.assertEqual(line_of(page, "| median"), ["median", "300.0 ms", "25.0 µs", "12,000×"])
        self.assertEqual(line_of(page, "| mean"), ["mean", "500.0 ms", "100.0 µs", "5,000×"])
        with_fleet["fleet"] = {"error": "no such program"}
        self.assertIn("Failed: no such program", report.render_page(with_fleet, "results.svg"))

    def test_prices_are_shown_when_they_were_recorded(self):
        with_prices = results()
        counts = {
            "clusters": 2, "seed": 1, "peerRuns": 3, "outcomes": {"equal": 1, "tenon is dearer": 1},
            "tenonPerHour": 3.0, "karpenterPerHour": 2.5, "withFloorPerHour": 3.0, "floorPerHour": 2.4,
            "fewer": [{"case": "seed-9", "note": "3 of its 4 pods"}],
            "dearer": [{"case": "seed-7", "tenon": 2.0, "karpenter": 1.5}]}
        self.assertIn("Not measured", self.page)
        with_prices["prices"] = {"Ignore": counts | {"dearer": []}, "Respect": counts}
        page = report.render_page(with_prices, "results.svg")
        self.assertIn("- seed-7: 2.00000 against 1.50000 $/h", page)
        self.assertIn("- seed-9: 3 of its 4 pods", page)
        self.assertEqual(line_of(page, "| tenon / floor"), ["tenon / floor", "1.250", "1.250"])
        self.assertIn("Not measured: `make bench-prices HEAVY=yes`", page)


class Picture(unittest.TestCase):
    def test_it_is_xml_with_every_series(self):
        text = report.render_picture(results())
        picture = xml.dom.minidom.parseString(text)
        self.assertEqual(len(picture.getElementsByTagName("polyline")), 3 + 4)
        self.assertIn("prefers-color-scheme: dark", text)

    def test_axes_are_logarithmic(self):
        axis = plot.Axis([1, 10000], 0, 400)
        self.assertEqual([axis.at(value) for value in (1, 10, 100, 10000)], [0, 100, 200, 400])
        self.assertEqual(axis.ticks(), [1, 10, 100, 1000, 10000])

    def test_narrow_axes_have_ticks_too(self):
        axis = plot.Axis([210, 340], 0, 400)
        self.assertGreaterEqual(len(axis.ticks()), 4)

    def test_times_have_units(self):
        self.assertEqual([plot.time_text(seconds) for seconds in (0.00025, 0.002, 0.1, 60)],
                         ["250 µs", "2 ms", "100 ms", "60 s"])


if __name__ == "__main__":
    unittest.main()
