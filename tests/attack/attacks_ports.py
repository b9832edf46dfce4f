"""Floods of connections to the health and metrics ports: probes must still be answered."""

import contextlib
import multiprocessing
import socket
import threading
import time

import process

SLOW = 64
SILENT = 128
KUBELET_FAILURES = 3  # in a row, then the kubelet restarts the container: failureThreshold's default


def connect(port, source="127.0.0.2"):
    connection = socket.socket()
    connection.bind((source, 0))
    connection.connect(("127.0.0.1", port))
    return connection


def live(port, behave, over):
    while not over.is_set():
        with contextlib.suppress(OSError), connect(port) as connection:
            connection.settimeout(1)
            behave(connection, over)


def live_together(port, count, behave, ended):
    """Runs the flood in a process of its own, so that the prober does not wait for this interpreter's lock."""
    over = threading.Event()
    for _ in range(count):
        threading.Thread(target=live, args=(port, behave, over), daemon=True).start()
    ended.wait()
    over.set()


@contextlib.contextmanager
def crowd(port, count, behave):
    """Holds `count` connections. Calls `behave` on each repeatedly, and reconnects those that were closed."""
    processes = multiprocessing.get_context("spawn")
    ended = processes.Event()
    people = processes.Process(target=live_together, args=(port, count, behave, ended), daemon=True)
    people.start()
    try:
        yield
    finally:
        ended.set()
        people.join(3)
        people.kill()


def stay_silent(connection, over):
    while not over.is_set():
        with contextlib.suppress(TimeoutError):
            if not connection.recv(1):
                return


def send_slowly(connection, over):
    for byte in b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"a" * 1000:
        connection.sendall(bytes([byte]))
        if over.wait(0.5):
            return


def take_slowly(connection, over):
    """Requests pages and reads them byte by byte, slowly."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    while not over.is_set():
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        connection.recv(1)
        over.wait(0.5)


def worst_row(ask):
    """Of ten probes, how many failed in a row at most, and how the last of these did."""
    most = row = 0
    last = ""
    for _ in range(10):
        begun = time.monotonic()
        status, text = ask(seconds=3)
        took = time.monotonic() - begun
        row = 0 if status == 200 and took < 2 else row + 1
        if row > most:
            most, last = row, f"{status} after {took:.1f} s {text[:100]}"
        time.sleep(1 if row else 0.1)  # a kubelet's next probe comes seconds later
    return most, last


def assert_answers(ask, what, failures_allowed=0, tries=1):
    """Asserts that of ten probes at most so many fail in a row, in one of the tries."""
    for _ in range(tries):
        most, last = worst_row(ask)
        if most <= failures_allowed:
            return
    raise AssertionError(f"{what}: {most} in a row, {last}")


def probes_are_answered_in_a_crowd(program):
    """Probes from another address than the flood's never fail. Connections from the flood's own address may be closed as
    the oldest before their request arrives; fewer probes in a row may fail than make a kubelet restart the container. How soon a
    request follows its connection is up to a machine that may be busy: there, one try of three counts."""
    with process.World(program) as world:
        tenon = world.run()
        tenon.await_ready()
        for count, behave in ((SLOW, send_slowly), (SILENT, stay_silent)):
            for port, ask in ((tenon.health_port, tenon.health), (tenon.metrics_port, tenon.metrics)):
                with crowd(port, count, behave):
                    time.sleep(0.7)
                    for source, failures_allowed, tries in (("127.0.0.1", 0, 1), ("127.0.0.2", KUBELET_FAILURES - 1, 3)):
                        assert_answers(lambda seconds: ask(seconds=seconds, source=source),
                                       f"{behave.__name__} at {ask.__name__}, asked from {source}", failures_allowed, tries)
        with crowd(tenon.metrics_port, SLOW, take_slowly):
            time.sleep(0.7)
            assert_answers(tenon.health, "health while pages are taken slowly")
        assert_answers(tenon.metrics, "metrics after a crowd")


def a_head_has_five_seconds(program):
    with process.World(program) as world:
        tenon = world.run()
        tenon.await_health()
        with connect(tenon.health_port) as connection:
            connection.settimeout(10)
            begun = time.monotonic()
            connection.sendall(b"GET /healthz HTTP/1.1\r\n")
            threading.Timer(2, lambda: connection.sendall(b"Host: x\r\n")).start()
            assert connection.recv(100) == b""
            assert 3 < time.monotonic() - begun < 8, f"{time.monotonic() - begun:.1f} s"


def ports_are_of_the_address_that_was_told(program):
    with process.World(program) as world:
        tenon = world.run("--metrics-address=127.0.0.3", "--health-probe-address=127.0.0.4")
        for address, port in (("127.0.0.3", tenon.metrics_port), ("127.0.0.4", tenon.health_port)):
            process.wait_for(lambda: socket.socket().connect_ex((address, port)) == 0, 10, f"a port of {address}")
            assert socket.socket().connect_ex(("127.0.0.1", port)) != 0
        wrong = world.run("--metrics-address=localhost")
        assert wrong.wait(10) == 2
        assert "--metrics-address: expected an address as 127.0.0.1 or ::1, got" in wrong.log()
