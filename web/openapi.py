"""Prints the schemas of what the server sends, from which the page's types are made."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from manole.serve.http.app import create_app
from manole.serve.service import Service
from manole.settings import Settings

with tempfile.TemporaryDirectory() as folder:
    settings = Settings(data_dir=Path(folder), cache_dir=Path(folder))
    described = create_app(Service(settings)).openapi()
json.dump(described["components"]["schemas"], sys.stdout)
