"""The HTTP server: connections, whole requests, replies. What a request means is decided elsewhere."""

import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.aws.fake.errors import Hang

BODY_MAX = 32 << 20


@dataclass
class Request:
    method: str
    path: str           # as it was sent, still encoded
    query: str
    headers: dict       # by lower-case names; values of a repeated one joined by commas
    body: bytes
    peer: str


@dataclass
class Reply:
    status: int
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    cut: int = None     # bytes of the body after which the connection ends; -1: before anything is sent


class Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.server.now() if timestamp is None else timestamp)

    def serve(self):
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdigit() or int(length) > BODY_MAX:
            self.close_connection = True
            return self.send(Reply(411 if not length.isdigit() else 413))
        path, _, query = self.path.partition("?")
        headers = {}
        for name, value in self.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        body = self.rfile.read(int(length))
        try:
            self.send(self.server.answer(Request(self.command, path, query, headers, body, self.client_address[0])))
        except Hang as hang:
            self.server.stopping.wait(hang.seconds)
            self.reset()

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = serve

    def send(self, reply):
        if reply.cut == -1:
            return self.reset()
        self.send_response_only(reply.status)
        self.send_header("Date", self.date_time_string())
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body[:reply.cut])
        if reply.cut is not None:
            self.wfile.flush()
            self.reset()

    def reset(self):
        """Ends the connection at once, with a reset."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def handle(self):
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True


class Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, host, port, answer, now=time.time):
        """`answer(Request) -> Reply`; `now()` is the time that the Date header says."""
        self.answer, self.now, self.stopping = answer, now, threading.Event()
        super().__init__((host, port), Connection)

    @property
    def url(self):
        host, port = self.server_address[:2]
        return f"http://{host}:{port}"

    def start(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self):
        self.stopping.set()
        self.shutdown()
        self.server_close()
