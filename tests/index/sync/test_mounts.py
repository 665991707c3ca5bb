"""Which folders are scanned because their file systems do not tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from manole.index.sync.roots import is_remote, is_system, remote_folders


@pytest.mark.parametrize(
    "kind",
    ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse.rclone", "9p", "drvfs", "davfs", "fuse"],
)
def test_network_and_cloud_file_systems_do_not_tell(kind):
    assert is_remote(kind)


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "xfs", "tmpfs", "fuseblk", "overlay", "apfs"])
def test_disks_of_this_machine_tell(kind):
    assert not is_remote(kind)


@pytest.mark.parametrize(
    ("folder", "system"),
    [("/", True), ("/proc", True), ("/proc/self", True), ("/sys/class", True), ("/dev", True),
     ("/dev/shm", False), ("/srv/jail/proc/1", True), ("/srv/jail", False), ("/home", False)],
)  # fmt: skip
def test_folders_of_the_systems_own_state_are_told(folder, system):
    mounts = [("/", "ext4"), ("/srv/jail/proc", "proc"), ("/dev/shm", "tmpfs")]
    assert is_system(Path(folder), mounts) is system


def test_the_innermost_mount_decides(tmp_path):
    root = tmp_path / "home" / "papers"
    root.mkdir(parents=True)
    mounts = [("/", "ext4"), (str(tmp_path), "nfs4"), (str(tmp_path / "home"), "ext4")]
    assert remote_folders(root, mounts) == {}
    assert remote_folders(root, mounts[:2]) == {root: "nfs4"}
    assert remote_folders(root, [*mounts, (str(tmp_path / "home"), "fuse.sshfs")]) == {
        root: "fuse.sshfs"
    }


def test_shares_inside_a_folder_are_scanned_alone(tmp_path):
    mounts = [("/", "ext4"), (str(tmp_path / "share"), "cifs"), (str(tmp_path / "disk"), "ext4")]
    assert remote_folders(tmp_path, mounts) == {tmp_path / "share": "cifs"}


def test_a_linked_root_is_looked_up_where_it_leads(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    mounts = [("/", "ext4"), (str(tmp_path / "real"), "nfs")]
    assert remote_folders(tmp_path / "link", mounts) == {tmp_path / "link": "nfs"}


def test_the_mounts_of_this_machine_can_be_read(tmp_path):
    assert remote_folders(tmp_path) == {}
