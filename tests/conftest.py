"""Every test has the fixtures of `common_fixtures.py`; the tests of plug-ins name them too."""

pytest_plugins = ["common_fixtures"]
