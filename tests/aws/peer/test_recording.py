"""The recording of Karpenter is of the sets that there are."""

import unittest

from recording import Recording
from sets import SETS


class RecordingTest(unittest.TestCase):
    def test_every_set_is_recorded(self):
        self.assertEqual(set(Recording().read()), set(SETS), "tests/aws/peer/run.sh --record writes it anew")

    def test_what_launches_has_asked_for_a_fleet(self):
        for name, found in Recording().read().items():
            with self.subTest(name):
                self.assertEqual(bool(found.get("fleets")), found["set"]["launches"])


if __name__ == "__main__":
    unittest.main()
