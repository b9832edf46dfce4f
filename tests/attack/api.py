"""A small API server that misbehaves on request.

It keeps objects in memory and serves the calls that tenon makes: get, list, watch with initial events, create, update, patch,
delete; no admission, no garbage collection. Behaviour that no real API server shows on request is a fault: a function that gets
each request first, `fault(request) -> bool`, and answers it in its own way (True) or lets it pass.
"""

import copy
import itertools
import json
import queue
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

INITIAL_END = {"k8s.io/initial-events-end": "true"}


def parts(path):
    """(plural, namespace, name, subresource) of /api/v1/… and /apis/GROUP/VERSION/…"""
    steps = path.strip("/").split("/")
    steps = steps[2:] if steps[0] == "api" else steps[3:]
    namespace = ""
    if len(steps) > 2 and steps[0] == "namespaces":
        namespace, steps = steps[1], steps[2:]
    steps += [""] * 3
    return steps[0], namespace, steps[1], steps[2]


def merge(target, patch):
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            merge(target[key], value)
        else:
            target[key] = value


class Request(BaseHTTPRequestHandler):
    """One connection. Faults are given it too: it has method, kind (plural), query and body, and methods that answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, ValueError):
            self.close_connection = True

    def answer(self):
        url = urlsplit(self.path)
        self.api = self.server.api
        self.kind, self.namespace, self.name, self.part = parts(url.path)
        self.query = {key: values[0] for key, values in parse_qs(url.query).items()}
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.is_watch = self.query.get("watch") == "true"
        with self.api.lock:
            self.api.requests.append((self.command, self.kind, self.is_watch))
        if not any(fault(self) for fault in list(self.api.faults)):
            self.api.serve(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def say(self, status, document):
        self.say_bytes(status, json.dumps(document).encode())

    def say_bytes(self, status, body, **headers):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def say_not_found(self):
        self.say(404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404,
                       "message": f"{self.kind} \"{self.name}\" not found"})

    def begin_chunks(self, **headers):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def say_chunk(self, piece):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


class Api:
    """The server and its objects. `url`: the address it listens on."""

    def __init__(self):
        self.lock = threading.RLock()
        self.objects = {}  # plural: {(namespace, name): object}
        self.watchers = {}  # plural: queues of events
        self.requests = []  # (method, plural, whether it is a watch)
        self.faults = []
        self.revisions = itertools.count(1000)
        self.server = Server(("127.0.0.1", 0), Request)
        self.server.api = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    # --- objects

    def all(self, kind):
        with self.lock:
            return copy.deepcopy(list(self.objects.get(kind, {}).values()))

    def put(self, kind, thing, event="MODIFIED"):
        """Stores an object and sends the event to its watchers."""
        with self.lock:
            meta = thing.setdefault("metadata", {})
            meta["resourceVersion"] = str(next(self.revisions))
            meta.setdefault("uid", str(uuid.uuid4()))
            meta.setdefault("creationTimestamp", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
            key = meta.get("namespace", ""), meta["name"]
            event = event if key in self.objects.setdefault(kind, {}) else "ADDED"
            if meta.get("deletionTimestamp") and not meta.get("finalizers"):
                self.objects[kind].pop(key, None)
                event = "DELETED"
            else:
                self.objects[kind][key] = thing
            for watcher in self.watchers.get(kind, []):
                watcher.put({"type": event, "object": copy.deepcopy(thing)})
            return copy.deepcopy(thing)

    def end_watches(self, kind):
        with self.lock:
            for watcher in self.watchers.get(kind, []):
                watcher.put(None)

    # --- serving

    def serve(self, request):
        if request.command == "GET" and request.is_watch:
            self.watch(request)
        elif request.command == "GET" and not request.name:
            self.list(request)
        elif request.command == "POST" and not request.name:
            self.create(request)
        else:
            self.change(request)

    def list(self, request):
        with self.lock:
            revision = str(next(self.revisions))
            items = self.all(request.kind)
        request.say(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": revision},
                          "items": items})

    def watch(self, request):
        events = queue.Queue()
        with self.lock:
            if request.query.get("sendInitialEvents") == "true":
                for thing in self.all(request.kind):
                    events.put({"type": "ADDED", "object": thing})
                events.put({"type": "BOOKMARK", "object": {"metadata": {
                    "resourceVersion": str(next(self.revisions)), "annotations": INITIAL_END}}})
            self.watchers.setdefault(request.kind, []).append(events)
        request.begin_chunks()
        try:
            while (event := events.get()) is not None:
                request.say_chunk(json.dumps(event).encode() + b"\n")
            request.say_chunk(b"")
        finally:
            with self.lock:
                self.watchers[request.kind].remove(events)

    def create(self, request):
        thing = json.loads(request.body)
        meta = thing["metadata"]
        if request.namespace:
            meta.setdefault("namespace", request.namespace)
        if "name" not in meta:
            meta["name"] = meta["generateName"] + uuid.uuid4().hex[:5]
        with self.lock:
            taken = (meta.get("namespace", ""), meta["name"]) in self.objects.get(request.kind, {})
            thing = None if taken else self.put(request.kind, thing)
        if taken:
            request.say(409, {"kind": "Status", "status": "Failure", "reason": "AlreadyExists", "code": 409,
                              "message": "already exists"})
        else:
            request.say(201, thing)

    def change(self, request):
        with self.lock:
            found = self.objects.get(request.kind, {}).get((request.namespace, request.name))
            thing = copy.deepcopy(found)
            if found and request.command == "PUT":
                thing = self.put(request.kind, {**json.loads(request.body)})
            elif found and request.command == "PATCH":
                merge(thing, json.loads(request.body))
                thing = self.put(request.kind, thing)
            elif found and request.command == "DELETE":
                thing["metadata"].setdefault("deletionTimestamp", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
                thing = self.put(request.kind, thing)
        if found:
            request.say(200, thing)
        else:
            request.say_not_found()
