"""Kubelets of Nodes that have none: each reports its Node's status every five minutes, also when nothing has changed."""

import threading
import time

from bed.api import Api

REPORT_S = 300      # nodeStatusReportFrequency


class Kubelets(threading.Thread):
    """One thread for all. `conditions`: of each of the Nodes. `reports`: so many were made."""

    def __init__(self, kubeconfig, names, conditions):
        super().__init__(daemon=True)
        self.api, self.names, self.conditions = Api(kubeconfig), names, conditions
        self.over = threading.Event()
        self.reports = 0

    def run(self):
        began = time.monotonic()
        while not self.over.is_set():
            due = int((time.monotonic() - began) * len(self.names) / REPORT_S)
            while self.reports < due and not self.over.is_set():
                self.report(self.names[self.reports % len(self.names)])
                self.reports += 1
            self.over.wait(0.1)

    def report(self, name):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        self.api.patch(node, {"status": {"conditions": [{**one, "lastHeartbeatTime": now} for one in self.conditions]}}, status=True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join(10)
