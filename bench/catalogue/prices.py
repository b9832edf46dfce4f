"""On-demand prices per region and spot ratios per family.

What is known: Karpenter's tables (current; us-east-1, GovCloud, China) and a snapshot of every commercial region
(older). A regional price is the snapshot's when its us-east-1 price is still the current one, else the snapshot's
scaled by how us-east-1 moved since. A type that the snapshot lacks is estimated: its us-east-1 price times the ratio
that its closest relatives have between the region and us-east-1.
"""

import re
from collections import defaultdict
from statistics import median

HOME = "us-east-1"
# Families that were new when the snapshot was taken had few prices, and many near the floor of a market without buyers:
# c8g at 20 % of on-demand, c8gn and c8gd at 12 %, where the older families of that category and maker have 31 to 36 %. A
# family of fewer prices takes its relatives' figure. One whose ratio is less than SPOT_OUTLIER of what is usual among its
# relatives (same category and maker, enough prices) is not believed: it takes their figure, and tells nothing of others.
SPOT_SAMPLES = 100
SPOT_OUTLIER = 2 / 3


def family_of(name: str) -> str:
    return name.split(".")[0]


def relatives(name: str) -> tuple:
    """(category, maker of the processor, generation) as the name tells them: m8i.large gives ("m", "i", 8)."""
    parts = re.match(r"([a-z]+)(?:-\d+tb)?(\d*)([a-z]?)", name)
    return parts[1], parts[3] if parts[3] in ("a", "g") else "i", int(parts[2] or 0)


class Ratios:
    """Medians over families and their relatives, with the closest group that has data as the answer for a type."""

    def __init__(self):
        self.groups = defaultdict(list)

    def add(self, name: str, value: float):
        category, maker, generation = relatives(name)
        for group in (family_of(name), (category, maker, generation), (category, maker), category, None):
            self.groups[group].append(value)

    def get(self, name: str, at_least: int = 1):
        """The family's median, else that of the same category and maker (its newest generation up to this one first),
        else of the category, else of everything; None without data. Groups of fewer than `at_least` values are passed
        over."""
        category, maker, generation = relatives(name)
        older = [(category, maker, i) for i in range(generation, 0, -1)]
        for group in (family_of(name), *older, (category, maker), category, None):
            if len(self.groups.get(group, ())) >= at_least:
                return median(self.groups[group])
        return None


class Prices:
    def __init__(self, tables: dict, snapshot: dict):
        self.tables = {region: {name: float(text) for name, text in table.items()} for region, table in tables.items()}
        self.snapshot = snapshot
        self.ratios = defaultdict(Ratios)  # region -> its prices over those of us-east-1
        for name, regions in snapshot.items():
            for region, (on_demand, _) in regions.items():
                if HOME in regions:
                    self.ratios[region].add(name, on_demand / regions[HOME][0])
        self.spot = self.believed_spot()

    def believed_spot(self) -> Ratios:
        """Spot over on-demand, without the families that are outliers among their relatives."""
        families = defaultdict(list)
        for name, regions in self.snapshot.items():
            families[family_of(name)] += [(name, min(spot / on_demand, 1)) for on_demand, spot in regions.values() if spot]
        usual = defaultdict(list)  # (category, maker) -> the median of each family with enough prices
        medians = {family: median(ratio for _, ratio in ratios) for family, ratios in families.items() if ratios}
        for family, ratio in medians.items():
            if len(families[family]) >= SPOT_SAMPLES:
                usual[relatives(family)[:2]].append(ratio)
        believed = Ratios()
        for family, ratio in medians.items():
            if ratio >= SPOT_OUTLIER * median(usual[relatives(family)[:2]] or [ratio]):
                for name, one in families[family]:
                    believed.add(name, one)
        return believed

    def home(self, name: str):
        return self.tables[HOME].get(name)

    def on_demand(self, region: str, name: str):
        """(price or None, whether it is an estimate)."""
        if region in self.tables:
            return self.tables[region].get(name), False
        seen, home = self.snapshot.get(name, {}), self.home(name)
        if region in seen:
            price = seen[region][0]
            if home and HOME in seen and abs(seen[HOME][0] / home - 1) > 1e-4:
                price *= home / seen[HOME][0]
            return price, False
        ratio = self.ratios[region].get(name)
        return (home * (ratio or 1), True) if home else (None, False)

    def spot_percent(self, name: str) -> int:
        """Spot price as a percentage of on-demand, from the snapshot."""
        return round(100 * self.spot.get(name, SPOT_SAMPLES))


def print_price(price: float) -> str:
    return f"{price:.6f}".rstrip("0").rstrip(".")
