"""Runs a program in a network of its own, where every packet that would leave is seen.

    python sealed.py REPORT COMMAND ...             REPORT gets one line for each such packet
    python sealed.py --no-loopback COMMAND ...      nothing at all can be reached

The program gets a network name space (`unshare` of util-linux; no rights are needed) whose only
interface is `lo`. Every address there is, in IPv4 and IPv6, has its route over `lo`, so a packet to
elsewhere is sent and lost instead of being refused before anybody sees it, and a packet socket on
`lo` hears of it. Name look-ups are such packets, too: `resolv.conf` names a server elsewhere, and
`/run`, where resolvers and name caches of the system listen on sockets of files, is empty.
"""

from __future__ import annotations

import ctypes
import fcntl
import ipaddress
import select
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

UNSHARE = ("unshare", "--user", "--map-root-user", "--net", "--mount")
RESOLVER = "192.0.2.53"  # these are addresses that the standards reserve for documentation
OWN, OWN6, OWN6_BITS = "192.0.2.1", "2001:db8::1", 128
UP, ROUTE_UP = 1, 1  # flags of an interface, of a route
LOCAL, LOCAL_FLAG = 2, 2**31  # RTN_LOCAL, RTF_LOCAL: IPv6 refuses any other route over `lo`
SET_FLAGS, SET_ADDRESS, ADD_ROUTE = 0x8914, 0x8916, 0x890B  # ioctls of linux/sockios.h
PACKET, STATISTICS = 263, 6  # SOL_PACKET, PACKET_STATISTICS of linux/if_packet.h: packets, drops
ALL, IPV4, IPV6 = 0x0003, 0x0800, 0x86DD  # kinds of frames
UDP, DNS = 17, 53
AFTER_S = 0.3  # in which the last packets are read
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def command(report: Path | None, *program: str) -> list[str]:
    """The command that runs `program` so; without a report, with `lo` down."""
    how = "--no-loopback" if report is None else str(report)
    return [*UNSHARE, sys.executable, __file__, how, *program]


def _raise_loopback() -> None:
    """`lo` up, with the routes to everywhere over it."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as four,
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as six,
    ):
        fcntl.ioctl(four, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))
        fcntl.ioctl(four, SET_ADDRESS, struct.pack("16s16s8x", b"lo:1", _inet(OWN)))
        device, anywhere = ctypes.create_string_buffer(b"lo"), _inet("0.0.0.0")
        route = struct.pack(
            "@L16s16s16sHhLPhPLLH6x", 0, anywhere, anywhere, anywhere, ROUTE_UP,
            0, 0, 0, 0, ctypes.addressof(device), 0, 0, 0,
        )  # fmt: skip
        fcntl.ioctl(four, ADD_ROUTE, route)
        number, own = socket.if_nametoindex("lo"), ipaddress.IPv6Address(OWN6).packed
        fcntl.ioctl(six, SET_ADDRESS, struct.pack("=16sIi", own, OWN6_BITS, number))
        nowhere = bytes(16)
        route = struct.pack(
            "@16s16s16sIHHILIi",
            nowhere,
            nowhere,
            nowhere,
            LOCAL,
            0,
            0,
            1,
            0,
            ROUTE_UP | LOCAL_FLAG,
            number,
        )
        fcntl.ioctl(six, ADD_ROUTE, route)


def _inet(address: str) -> bytes:
    return struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))


def _hide_resolvers() -> None:
    """An empty `/run`, and a `resolv.conf` that names a server elsewhere."""
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    target = Path("/etc/resolv.conf").resolve()
    text = f"nameserver {RESOLVER}\noptions timeout:1 attempts:1\n"
    if target.exists():
        with tempfile.NamedTemporaryFile("w", dir="/run", delete=False) as file:
            file.write(text)
        Path(file.name).chmod(0o644)
        subprocess.run(["mount", "--bind", file.name, target], check=True)
    else:  # it was a link into /run
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def _leaving(packets: socket.socket, until_s: float) -> Iterator[str]:
    """What is heard within that time and goes beyond loopback, in words."""
    while select.select([packets], [], [], until_s)[0]:
        packet, (_, kind, way, *_) = packets.recvfrom(65535)
        if way == socket.PACKET_OUTGOING and kind in (IPV4, IPV6):
            destination, protocol, body = _parts(packet, kind)
            if not destination.is_loopback and str(destination) not in (OWN, OWN6):  # a reply
                yield _in_words(destination, protocol, body)


def _parts(packet: bytes, kind: int) -> tuple[Address, int, bytes]:
    """Destination, protocol, and what stands behind the header."""
    if kind == IPV6:
        return ipaddress.IPv6Address(packet[24:40]), packet[6], packet[40:]
    return ipaddress.IPv4Address(packet[16:20]), packet[9], packet[4 * (packet[0] & 15) :]


def _in_words(destination: Address, protocol: int, body: bytes) -> str:
    """`udp 192.0.2.53:53 www.example.org`, so that a failing test names the culprit."""
    name = {6: "tcp", UDP: "udp"}.get(protocol, f"protocol {protocol}")
    port = int.from_bytes(body[2:4], "big")
    asked, rest = [], body[20:] if (protocol, port) == (UDP, DNS) else b""
    while rest and rest[0]:
        asked.append(rest[1 : rest[0] + 1].decode("ascii", "replace"))
        rest = rest[rest[0] + 1 :]
    return f"{name} {destination}:{port} {'.'.join(asked)}".rstrip()


def main() -> int:
    """Inside the name spaces: set up, run, listen."""
    how, *program = sys.argv[1:]
    _hide_resolvers()
    if how == "--no-loopback":
        return subprocess.run(program, check=False).returncode
    _raise_loopback()
    with (
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL)) as packets,
        Path(how).open("w", encoding="utf-8", buffering=1) as report,
        subprocess.Popen(program) as child,
    ):
        packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 2**20)
        while child.poll() is None:
            report.writelines(f"{line}\n" for line in _leaving(packets, 0.05))
        report.writelines(f"{line}\n" for line in _leaving(packets, AFTER_S))
        _, dropped = struct.unpack("II", packets.getsockopt(PACKET, STATISTICS, 8))
        if dropped:
            report.write(f"{dropped} packets were not looked at\n")
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
