"""Known weaknesses of the pinned dependencies: what pip-audit finds, in a line or two.

    python locks/audit.py locks/runtime.txt

Exit code 1 where a dependency has a known weakness. Where the advisory service cannot be reached,
or does not know a dependency, nothing is known: that is said, and is no failure, so that lint runs
without a network too.
"""

from __future__ import annotations

import json
import subprocess
import sys


def main(lock: str) -> int:
    """The exit code; `lock` is a lock file with hashes."""
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip"]
    ran = subprocess.run([*command, "-r", lock, "--format", "json"], capture_output=True, text=True)
    try:
        dependencies = json.loads(ran.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        reason = ran.stderr.strip().splitlines() or ["no output"]
        print(f"{lock}: not audited, the advisory service gave no answer ({reason[-1][:200]})")
        return 0
    weak = [dependency for dependency in dependencies if dependency.get("vulns")]
    for dependency in weak:
        for known in dependency["vulns"]:
            fixed = ", ".join(known["fix_versions"]) or "no version yet"
            name, version = dependency["name"], dependency["version"]
            print(f"{lock}: {name} {version}: {known['id']}, mended in {fixed}")
    unknown = sum("skip_reason" in dependency for dependency in dependencies)
    audited = len(dependencies) - unknown
    rest = f"; {unknown} unknown to the advisory service" if unknown else ""
    print(f"{lock}: {audited} of {len(dependencies)} dependencies audited, {len(weak)} weak{rest}")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
