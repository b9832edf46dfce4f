"""A scheduler extender that records which nodes passed all filters of kube-scheduler for a pod.

kube-scheduler asks an *extender* to filter these nodes further; this one keeps all of them and records the request. There
is no request for a pod if no node passed.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Extender:
    """The extender's HTTP server. `configuration()`: the scheduler's configuration for it; `close` ends it."""

    def __init__(self):
        self.passed = {}        # pod uid: the nodes of the last request
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def configuration(self):
        return {"extenders": [{"urlPrefix": f"http://127.0.0.1:{self.server.server_port}", "filterVerb": "filter",
                               "nodeCacheCapable": True, "httpTimeout": "10s"}]}

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def handler(self):
        passed = self.passed

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                passed[question["Pod"]["metadata"]["uid"]] = sorted(question["NodeNames"])
                answer = json.dumps({"NodeNames": question["NodeNames"]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        return Handler
