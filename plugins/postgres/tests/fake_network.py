"""A network between a client and a server on loopback that breaks at the worst moment."""

from __future__ import annotations

import socket
import threading


class FakeNetwork:
    """Passes bytes on, `port` to a server. After `lose_next_commit`, an answer never arrives."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.lost = 0
        self._armed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_next_commit(self) -> None:
        """The server will commit, and the client not hear of it."""
        self._armed = True

    def close(self) -> None:
        """Take no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server))
            losing = threading.Event()
            for work in (self._out, self._back):
                threading.Thread(target=work, args=(client, server, losing), daemon=True).start()

    def _out(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        while data := _read(client):
            if self._armed and b"COMMIT" in data:
                self._armed = False
                losing.set()
            server.sendall(data)
        server.close()

    def _back(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        while data := _read(server):
            if losing.is_set():  # it has committed
                self.lost += 1
                break
            client.sendall(data)
        client.close()


def _read(link: socket.socket) -> bytes:
    try:
        return link.recv(65536)
    except OSError:
        return b""
