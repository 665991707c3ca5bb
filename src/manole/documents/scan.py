"""The files of a library, found in its folders.

Left out are: hidden files and folders; files with names of secrets; the patterns of `.gitignore`
and `.manoleignore`; what programs leave behind (`node_modules`, lock files of Office); everything
that is not a regular file (a FIFO would block its reader). Symbolic links are not followed: their
targets inside the root are found at their own place, and nothing outside belongs to the library.
So there are no loops, and no file is found twice.
"""

from __future__ import annotations

import contextlib
import fnmatch
import logging
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from manole.documents.ignore import IgnoreFile, ignored, parse
from manole.documents.model import storable
from manole.documents.opened import SEPARATOR, FoundFile, modified, open_folder, open_outermost
from manole.errors import UsageError

log = logging.getLogger(__name__)

IGNORE_FILES = (".gitignore", ".manoleignore")
SECRETS = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
    "*.kdb", "*.ppk", "*.gpg", "*.ovpn", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
    ".netrc", "_netrc", ".pgpass", ".htpasswd", ".npmrc", ".pypirc", ".git-credentials",
    "credentials", "credentials.json", "client_secret*.json", "service-account*.json",
    "secrets.y*ml", "secrets.json", "secrets.toml", "wallet.dat", "*deploy_key", "*backup-key",
    "*id_rsa", "*id_dsa", "*id_ecdsa", "*id_ed25519", "private.asc", "secret*.asc", "*.key.bak",
    "*.pem.bak", "*passwords.csv", "*passwords*.json", "bitwarden*.json", "lastpass*.csv",
    "keepass*.csv", "htpasswd", "shadow", "shadow-", "gshadow", "kubeconfig", "wg[0-9].conf",
    "rclone.conf", "*.tfstate", "*.tfstate.backup", ".*_history", ".my.cnf", ".vault-token",
    ".dockercfg", "logins.json", "key[34].db", "login data", "cookies.sqlite",
)  # fmt: skip
_LEFTOVERS = ("~$*", ".~lock.*", "thumbs.db", "desktop.ini", "*.crdownload", "*.part", "*.swp")
_SECRET, _LEFTOVER = (  # one pattern each: a scan tests every name
    re.compile("|".join(map(fnmatch.translate, patterns))).match
    for patterns in (SECRETS, _LEFTOVERS)
)
_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "$recycle.bin", "system volume information", "__macosx"}
)
_HIDDEN_ALWAYS = frozenset(
    {".git", ".hg", ".svn", ".venv", ".tox", ".cache", ".trash"}
    # and folders with keys and passwords under any name
    | {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".mozilla", ".password-store"}
)
_LARGEST = 1 << 20  # bytes of an ignore file

OnError = Callable[[str, OSError], None]


def scan(
    root: Path,
    *,
    exclude: Sequence[str] = (),
    hidden: bool = False,
    on_error: OnError | None = None,
) -> Iterator[FoundFile]:
    """Yield the files below `root` in the order of their paths.

    `exclude` has patterns as in `.gitignore`; `hidden` includes hidden files, but never secrets.
    Folders and files that cannot be read are passed to `on_error` with their path, else logged;
    the scan goes on. Raises `UsageError` if `root` is no readable folder.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100  (`resolve` would rename a linked root)
    if not root.exists():
        raise UsageError(f"{root} does not exist.", "Check the name of the folder.")
    if not root.is_dir():
        raise UsageError(f"{root} is not a folder.", "Name the folder that it lies in.")
    try:
        os.scandir(root).close()
    except OSError as error:
        raise UsageError(
            f"{root} cannot be read: {error.strerror}.", "Check its permissions."
        ) from None
    walk = _Walk(root, hidden, on_error or _log)
    yield from walk.folder(root, "", [parse(exclude)])


def scan_parts(
    root: Path,
    paths: Iterable[str],
    *,
    exclude: Sequence[str] = (),
    hidden: bool = False,
    on_error: OnError | None = None,
) -> Iterator[FoundFile]:
    """Yield the files at or below `paths` (names relative to `root`), as `scan` would find them.

    Only these and the ignore files of the folders above them are looked at. A missing path is
    skipped; errors go to `on_error`, as in `scan`.
    """
    walk = _Walk(Path(os.path.abspath(root)), hidden, on_error or _log)  # noqa: PTH100
    for path in paths:
        yield from walk.part(Path(path).parts, parse(exclude))


def left_out(
    root: Path, paths: Iterable[str], *, exclude: Sequence[str] = (), hidden: bool = False
) -> set[str]:
    """Return those `paths` (relative to `root`) that a scan skips, whether they exist or not."""
    walk = _Walk(Path(os.path.abspath(root)), hidden, lambda _path, _error: None)  # noqa: PTH100
    return {path for path in paths if walk.passes_over(Path(path).parts, parse(exclude))}


def readable(name: str) -> str:
    r"""Return `name` with bytes that are not UTF-8 escaped (`\xff`), as a store can keep it."""
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # no file has such a name
        return storable(name)


def written_out(names: Collection[str]) -> dict[str, str]:
    r"""Return the names of a folder that are not UTF-8 with what `readable` makes of each.

    `names` are all names in the folder. If a file is literally called `\xff`, the backslashes of
    the other one are doubled, so that no two are alike.
    """
    written = {name: shown for name in names if (shown := readable(name)) != name}
    taken = set(names) - written.keys() if written else set()
    for name in sorted(written):
        while written[name] in taken:
            written[name] = written[name].replace("\\", "\\\\")
        taken.add(written[name])
    return written


def locate(root: Path, path: str) -> Path:
    r"""Return the file to open for a `FoundFile.path` below `root`: the inverse of `readable`.

    A part with `\xff` is looked up in its folder, unless a file literally has that name. Of a file
    inside another one, that other one is returned.
    """
    found = root
    for part in Path(path).parts:
        inner = found / part
        outer, packed, _ = part.partition(SEPARATOR)
        if packed and not os.path.lexists(inner):
            return locate(found, outer)
        if "\\x" in part and not os.path.lexists(inner):
            with contextlib.suppress(OSError, ValueError), os.scandir(found) as entries:
                written = written_out([entry.name for entry in entries])
                inner = found / next((name for name in written if written[name] == part), part)
        found = inner
    return found


def is_secret(name: str) -> bool:
    """Return whether a file of this name has keys or passwords, so that it is never read."""
    return bool(_SECRET(name.lower()))


def wanted(name: str, folder: bool, hidden: bool) -> bool:
    """Return whether a file or folder of this name is looked at, as far as its name says."""
    lowered = name.lower()
    if name.startswith(".") and not hidden:
        return False
    if folder:
        return lowered not in _FOLDERS | _HIDDEN_ALWAYS
    return not _LEFTOVER(lowered) and name not in IGNORE_FILES and not is_secret(name)


def _log(path: str, error: OSError) -> None:
    log.warning("%s cannot be read: %s", path, error.strerror or error)


class _Walk:
    """One scan, with what all its folders share."""

    def __init__(self, root: Path, hidden: bool, on_error: OnError) -> None:
        self._root = str(root)
        self._hidden = hidden
        self._on_error = on_error
        self._rules: dict[str, list[IgnoreFile] | None] = {}  # by folder, `None`: passed over

    def part(self, parts: Sequence[str], rules: IgnoreFile) -> Iterator[FoundFile]:
        """Yield the files at or below one name."""
        if not parts:
            yield from self.folder(Path(self._root), "", [rules])
            return
        above = self._above(parts[:-1], rules)
        if above is None:
            return
        path = Path(self._root, *parts)
        inner = "/".join(readable(part) for part in parts)
        try:
            info = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._on_error(inner, error)
            return
        folder = stat.S_ISDIR(info.st_mode)
        if not wanted(parts[-1], folder, self._hidden) or ignored(above, inner, folder):
            return
        if folder:
            yield from self.folder(path, f"{inner}/", above)
        elif file := self._found(str(path), inner, info):
            yield file

    def passes_over(self, parts: Sequence[str], rules: IgnoreFile) -> bool:
        """Return whether a scan would not look at this name."""
        above = self._above(parts[:-1], rules) if parts else []
        if above is None:
            return True
        folder = os.path.isdir(os.path.join(self._root, *parts))  # noqa: PTH112, PTH118  (no raise)
        inner = "/".join(readable(part) for part in parts)
        return bool(parts) and (
            not wanted(parts[-1], folder, self._hidden) or ignored(above, inner, folder)
        )

    def _above(self, parts: Sequence[str], rules: IgnoreFile) -> list[IgnoreFile] | None:
        """Return the rules that apply inside a folder; `None` if the folder itself is skipped."""
        above: list[IgnoreFile] | None = [rules]
        for depth in range(len(parts) + 1):  # not recursion, as in `folder`
            key = "/".join(parts[:depth])
            if key not in self._rules:
                self._rules[key] = None if above is None else self._inside(parts[:depth], above)
            above = self._rules[key]
        return above

    def _inside(self, parts: Sequence[str], rules: list[IgnoreFile]) -> list[IgnoreFile] | None:
        path = Path(self._root, *parts)
        inner = "".join(f"{readable(part)}/" for part in parts)
        if parts and (
            os.path.islink(path)  # noqa: PTH114  (`Path.is_symlink` raises without permission)
            or not wanted(parts[-1], True, self._hidden)
            or ignored(rules, inner.rstrip("/"), True)
        ):
            return None
        own = [name for name in IGNORE_FILES if os.path.lexists(path / name)]
        return [*rules, *(self._ignore_file(path / name, inner) for name in own)]

    def folder(self, path: Path, relative: str, rules: list[IgnoreFile]) -> Iterator[FoundFile]:
        """Yield the files below `path`. `relative` is "" or ends in `/`."""
        stack = [self._entries(path, relative, rules)]
        while stack:  # not recursion: folders can lie deeper than Python's stack
            entry = next(stack[-1], None)
            if entry is None:
                stack.pop()
            elif isinstance(entry, FoundFile):
                yield entry
            else:
                stack.append(self._entries(*entry))

    def _entries(
        self, path: Path, relative: str, rules: list[IgnoreFile]
    ) -> Iterator[FoundFile | tuple[Path, str, list[IgnoreFile]]]:
        names: list[str] = []  # not the entries, which take ten times the room
        kept: list[str] = []
        folders: set[str] = set()
        try:
            # By its descriptor: a link put in its place meanwhile is not followed.
            inside = path.relative_to(self._root).parts
            with open_folder(self._root, inside) as opened, os.scandir(opened) as found:
                for entry in found:
                    names.append(entry.name)
                    folder = self._takes(entry, relative)
                    if folder is not None:
                        kept.append(entry.name)
                    if folder:
                        folders.add(entry.name)
        except OSError as error:
            self._on_error(relative.rstrip("/"), error)
            return
        for name in IGNORE_FILES:
            if name in names:
                rules = [*rules, self._ignore_file(path / name, relative)]
        written = written_out(names)

        def shown(name: str) -> str:
            text = written.get(name, name)
            return f"{text}/" if name in folders else text

        kept.sort(key=shown)
        for name in kept:
            inner, folder = relative + shown(name), name in folders
            if ignored(rules, inner.rstrip("/"), folder):
                continue
            if folder:
                yield path / name, inner, rules
                continue
            file = self._file(os.path.join(path, name), inner)  # noqa: PTH118  (text: `FoundFile`)
            if file:
                yield file

    def _takes(self, entry: os.DirEntry[str], relative: str) -> bool | None:
        """Return whether a wanted entry is a folder; `None` for an unwanted one."""
        try:
            folder = entry.is_dir(follow_symlinks=False)
            if entry.is_symlink() or not (folder or entry.is_file(follow_symlinks=False)):
                return None
        except OSError as error:
            self._on_error(relative + readable(entry.name), error)
            return None
        return folder if wanted(entry.name, folder, self._hidden) else None

    def _file(self, name: str, inner: str) -> FoundFile | None:
        try:
            info = os.lstat(name)
        except OSError as error:
            self._on_error(inner, error)
            return None
        return self._found(name, inner, info)

    def _found(self, name: str, inner: str, info: os.stat_result) -> FoundFile | None:
        if not stat.S_ISREG(info.st_mode):
            return None
        found = FoundFile(self._root, inner, info.st_size, modified(info), info.st_dev, info.st_ino)
        return found if found.name == name else replace(found, elsewhere=name)

    def _ignore_file(self, path: Path, relative: str) -> IgnoreFile:
        inner = relative + path.name
        try:
            found = self._found(str(path), inner, path.lstat())
            if found is None or found.size > _LARGEST:
                return IgnoreFile(relative, ())
            with open_outermost(found) as file:
                text = file.read().decode("utf-8", errors="replace").removeprefix("\ufeff")
        except OSError as error:
            self._on_error(inner, error)
            return IgnoreFile(relative, ())
        return parse(text.split("\n"), relative)
