"""An S3-compatible store on loopback: SeaweedFS, as on several machines.

A master, three volume servers with each object on two of them, and a filer that speaks S3. A volume
server may die: reads find the other copy, and new objects still find two servers.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

KEY, SECRET = "manole", "not-a-secret"
WAIT_S = 90.0
REGION = "us-east-1"


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now, each other than the others."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [item.getsockname()[1] for item in sockets]
    finally:
        for item in sockets:
            item.close()


def program(name: str) -> str:
    """A program of this environment."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        raise RuntimeError(f"{name} is not installed; see plugins/cluster/tests/requirements.in")
    return found


class SeaweedFS:
    """Use it as a context manager; `environment` is what programs need to reach it."""

    def __init__(self, folder: Path, volumes: int = 3) -> None:
        self._folder = folder
        ports = free_ports(2 + 2 * volumes + 2 + 4)
        self._master, self._master_grpc, self._filer, self._filer_grpc = ports[:4]
        self._s3, self._s3_grpc, self._iceberg, self._lance = ports[4:8]
        self._volume_ports = list(zip(ports[8::2], ports[9::2], strict=True))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def endpoint(self) -> str:
        """The address of its S3 interface."""
        return f"http://127.0.0.1:{self._s3}"

    @property
    def environment(self) -> dict[str, str]:
        """The usual variables of programs that speak S3."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": REGION,
        }

    def __enter__(self) -> SeaweedFS:
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kill_volume(self, number: int) -> int:
        """End a volume server at once, as a machine does that loses power; gives its id."""
        process = self._processes[f"volume{number}"]
        process.kill()
        process.wait()
        return process.pid

    def start_volume(self, number: int) -> None:
        """Start a volume server, again or for the first time."""
        port, grpc = self._volume_ports[number]
        folder = self._folder / f"volume{number}"
        folder.mkdir(parents=True, exist_ok=True)
        self._start(
            f"volume{number}", "volume", "-ip=127.0.0.1", f"-port={port}", f"-port.grpc={grpc}",
            f"-dir={folder}", "-max=64", "-minFreeSpace=1", f"-master={self._master_address}",
        )  # fmt: skip

    def close(self) -> None:
        """End all of it."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()

    @property
    def _master_address(self) -> str:
        return f"127.0.0.1:{self._master}.{self._master_grpc}"

    def _start_all(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "master").mkdir(exist_ok=True)
        self._start(
            "master", "master", "-ip=127.0.0.1", f"-port={self._master}",
            f"-port.grpc={self._master_grpc}", f"-mdir={self._folder / 'master'}",
            "-defaultReplication=001", "-volumeSizeLimitMB=128", "-telemetry=false",
        )  # fmt: skip
        for number in range(len(self._volume_ports)):
            self.start_volume(number)
        self._wait("its volume servers", self._volumes_are_there)
        identities = {
            "identities": [
                {
                    "name": "manole",
                    "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                    "actions": ["Admin", "Read", "List", "Tagging", "Write"],
                }
            ]
        }
        config = self._folder / "s3.json"
        config.write_text(json.dumps(identities))
        (self._folder / "filer").mkdir(exist_ok=True)
        self._start(
            "filer", "filer", "-ip=127.0.0.1", f"-port={self._filer}",
            f"-port.grpc={self._filer_grpc}", f"-master={self._master_address}",
            f"-defaultStoreDir={self._folder / 'filer'}", "-defaultReplicaPlacement=001",
        )  # fmt: skip
        self._start(
            "s3", "s3", f"-filer=127.0.0.1:{self._filer}.{self._filer_grpc}",
            f"-port={self._s3}", f"-port.grpc={self._s3_grpc}", f"-config={config}",
            f"-port.iceberg={self._iceberg}", f"-port.lance={self._lance}", "-ip.bind=127.0.0.1",
        )  # fmt: skip
        self._wait("its S3 interface", self._s3_answers)

    def _start(self, name: str, *arguments: str) -> None:
        log = (self._folder / f"{name}.log").open("ab")
        with log:
            self._processes[name] = subprocess.Popen(
                [program("weed"), *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                env=os.environ | {"HOME": str(self._folder)},
            )

    def _volumes_are_there(self) -> bool:
        url = f"http://127.0.0.1:{self._master}/dir/assign?replication=001"
        with urllib.request.urlopen(url, timeout=5) as answer:
            assigned = "fid" in json.load(answer)
        with urllib.request.urlopen(f"http://127.0.0.1:{self._master}/dir/status") as answer:
            told = answer.read().decode()
        return assigned and all(f"127.0.0.1:{port}" in told for port, _ in self._volume_ports)

    def _s3_answers(self) -> bool:
        try:
            urllib.request.urlopen(self.endpoint, timeout=5).close()
        except urllib.error.HTTPError:
            return True  # it wants a key
        return True

    def _wait(self, what: str, ready: object) -> None:
        until = time.monotonic() + WAIT_S
        while True:
            for name, process in self._processes.items():
                if process.poll() is not None:
                    log = (self._folder / f"{name}.log").read_text(errors="replace")
                    raise RuntimeError(f"SeaweedFS {name} ended: {log[-2000:]}")
            try:
                if ready():  # type: ignore[operator]
                    return
            except (OSError, ValueError):
                pass
            if time.monotonic() > until:
                raise RuntimeError(f"SeaweedFS: {what} did not come up")
            time.sleep(0.2)


def make_bucket(name: str, environment: dict[str, str]) -> None:
    """Make a bucket, with a signed request of its own: `obstore` makes none."""
    from signing import signed

    urllib.request.urlopen(signed("PUT", f"/{name}", environment), timeout=30).close()
