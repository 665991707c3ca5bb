"""A Ray cluster on loopback: nodes as on machines of their own, each with its own raylet."""

from __future__ import annotations

import os
from typing import Any

import psutil

NODE_MEMORY = 200 * 2**20  # bytes of a node's object store


class RayCluster:
    """A head and more nodes, of one core each. Use it as a context manager.

    `environment` is what their processes see: keys of the object store, folders of Manole.
    """

    def __init__(self, environment: dict[str, str], nodes: int = 2) -> None:
        self._environment = environment
        self._count = nodes
        self._cluster: Any = None
        self.nodes: list[Any] = []
        self.address = ""

    def __enter__(self) -> RayCluster:
        os.environ.update(self._environment)
        from ray.cluster_utils import Cluster

        told = {"num_cpus": 1, "object_store_memory": NODE_MEMORY, "include_dashboard": False}
        self._cluster = Cluster(initialize_head=True, head_node_args=told)
        self.address = self._cluster.address
        self.nodes = [self._cluster.head_node]
        for _ in range(self._count - 1):
            self.add_node()
        self._cluster.wait_for_nodes()
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()

    def add_node(self) -> None:
        """Another machine joins."""
        node = self._cluster.add_node(num_cpus=1, object_store_memory=NODE_MEMORY)
        self.nodes.append(node)

    def kill_node(self, number: int) -> None:
        """All processes of a node end at once, as a machine does that loses power."""
        node = self.nodes[number]
        raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
        inner = raylet.children(recursive=True)
        self._cluster.remove_node(node, allow_graceful=False)
        for process in inner:
            if process.is_running():
                process.kill()

    def readers(self, number: int | None = None) -> list[psutil.Process]:
        """The processes that run tasks now, of one node or of all."""
        found = []
        for node in self.nodes if number is None else [self.nodes[number]]:
            raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
            for process in raylet.children(recursive=True):
                try:
                    title = " ".join(process.cmdline())
                except psutil.Error:
                    continue
                if title.startswith("ray::") and "read_group" in title:
                    found.append(process)
        return found
