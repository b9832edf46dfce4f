"""How the files are shared out among the processes of a run, for pytest-xdist.

A part is what one process runs without break: a file, or files whose tests share a cluster of their own, which takes
seconds to come up. Long parts begin first, so that none of them goes on alone in the end.
"""

from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

# The long ones; each file that is not named here is a part, too, and comes later.
LONG = [
    ["test_aws_life.py", "test_aws_class.py", "test_aws_old.py"],
    ["test_aws_old_seeds.py"],
    ["test_aws_faults.py", "test_aws_launch.py", "test_aws_seeds.py"],
    ["test_faults_servers.py", "test_faults_handover.py", "test_faults_identity.py"],
    ["test_conformance.py"],
    ["test_scenes.py"],
    ["test_faults_leader.py", "test_faults_watch.py", "test_faults_rights.py", "test_faults_tenants.py"],
    ["test_disruption_restarts.py"],
    ["test_disruption_drift.py"],
    ["test_disruption_empty.py"],
    ["test_consolidation.py"],
    ["test_consolidation_classic.py"],
    ["test_disruption_gates.py"],
    ["test_chart.py"],
    ["test_webhooks.py"],
    ["test_chart.py"],
    ["test_termination.py"],
    ["test_control_plane.py"],
    ["test_cluster_command.py"],
    ["test_pools.py"],
    ["test_spread.py"],
    ["test_provision.py"],
    ["test_faults_chaos.py"],
]
RANKS = {file: rank for rank, files in enumerate(LONG) for file in files}


def part(nodeid):
    """The name of a test's part: its first file."""
    file = PurePath(nodeid.split("::")[0]).name
    return LONG[RANKS[file]][0] if file in RANKS else file


def rank(nodeid):
    return RANKS.get(part(nodeid), len(LONG))


class Parts(LoadScopeScheduling):
    """Gives each process one part after the other."""

    def _split_scope(self, nodeid):
        return part(nodeid)
