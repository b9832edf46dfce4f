"""A TCP relay between client and server that closes all connections on request, as a failing network does."""

import socket
import threading

BLOCK_BYTES = 65536


class Relay:
    """Listens on a free port of loopback and connects to `target`, a port there. `connections`: how many there were."""

    def __init__(self, target):
        self.target = target
        self.connections = 0
        self.open = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

    def cut(self):
        """Closes the open connections; new ones are accepted."""
        with self.lock:
            for one in self.open:
                hang_up(one)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            with self.lock:
                self.connections += 1
                self.open |= {client, server}
            threading.Thread(target=self.pass_on, args=(client, server), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, client), daemon=True).start()

    def pass_on(self, source, sink):
        """Copies one direction. The direction that ends first ends the other; each closes the socket that it read from."""
        try:
            while block := source.recv(BLOCK_BYTES):
                sink.sendall(block)
        except OSError:
            pass
        with self.lock:
            self.open.discard(source)
            hang_up(sink)
            source.close()


def hang_up(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
