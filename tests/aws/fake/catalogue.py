"""What EC2 offers: instance types and their zones from moto's copy of EC2's own answers, prices from tenon's catalogue.

moto is a package of these tests (requirements.txt); only its data is read, its code is not imported. A price that
src/cloud/aws/data/ec2.tsv does not know is unknown here, too. The format of that file: bench/catalogue/README.md.
"""

import gzip
import hashlib
import importlib.util
import json
import re
from functools import lru_cache
from pathlib import Path

TSV = Path(__file__).resolve().parents[3] / "src/cloud/aws/data/ec2.tsv"
OFFER = re.compile(r"([*a-z]+)([~=]?)([0-9.]*)\??")


@lru_cache(1)
def load():
    """The catalogue; read once in a process."""
    return Catalogue()


class Catalogue:
    def __init__(self):
        data = Path(importlib.util.find_spec("moto").origin).parent / "ec2/resources"
        self.types = json.loads(gzip.decompress((data / "instance_types.json.gz").read_bytes()))
        self._offerings = data / "instance_type_offerings"
        self._read_prices()

    def _read_prices(self):
        self.zones, self._prices, self._spot = {}, {}, {}
        names = []
        for line in TSV.read_text(encoding="utf-8").splitlines():
            kind, *cells = line.split("\t")
            if kind == "region":
                names.append(cells[0])
                self.zones[cells[0]] = dict(pair.split("=") for pair in cells[2].split(","))
            elif kind == "family":
                self._spot[cells[0]] = int(cells[1])
            elif kind == "type":
                self._prices[cells[0]] = dict(zip(names, self._read_offers(cells[-1].split(","))))

    @staticmethod
    def _read_offers(cells):
        home = None
        for cell in cells:
            match = OFFER.fullmatch(cell)
            if not match:
                yield None
                continue
            price = home if match[2] == "=" else float(match[3]) if match[3] else None
            home = home or price
            yield price

    @lru_cache(64)
    def offerings(self, region, everywhere=False):
        """{type: sorted zones} of a region; `everywhere`: all types in all zones, as many as there can be."""
        zones = sorted(self.zones[region])
        if everywhere:
            return {name: zones for name in self.types}
        found = {}
        file = self._offerings / "availability-zone" / f"{region}.json.gz"
        if not file.exists():       # GovCloud and China: what has a price there
            return {name: zones for name, prices in self._prices.items() if prices.get(region) and name in self.types}
        for row in json.loads(gzip.decompress(file.read_bytes())):
            if row["InstanceType"] in self.types:
                found.setdefault(row["InstanceType"], []).append(row["Location"])
        return {name: sorted(zones) for name, zones in found.items()}

    def on_demand(self, region, name):
        """USD (CNY in China) per hour; None: unknown."""
        return self._prices.get(name, {}).get(region)

    def spot(self, region, name, zone):
        """A price between 85 and 115 % of what is usual for the family, the same in each run; None: unknown."""
        price, percent = self.on_demand(region, name), self._spot.get(name.split(".")[0])
        if price is None or percent is None:
            return None
        swing = hashlib.sha256(f"{name}/{zone}".encode()).digest()[0] / 255 * 0.3 - 0.15
        return round(price * percent / 100 * (1 + swing), 6)
