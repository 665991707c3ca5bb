"""The description of the HTTP interface is complete, and the server does what it says."""

from __future__ import annotations

import shutil

import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from agent.fake_models import FakeModel
from manole.serve.http.app import create_app
from manole.serve.service import Service
from manole.settings import Settings
from rounds import rounds

from .conftest import ANSWER
from .running import LONG, running

METHODS = {"get", "post", "put", "patch", "delete"}
SOUGHT = examples(
    max_examples=rounds(3, 100),
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def patient(indexed, settings, tmp_path_factory):
    """A server that many and large requests may be sent to, and that they may change."""
    folder = tmp_path_factory.mktemp("patient")
    shutil.copytree(indexed, folder / "papers", symlinks=True)
    own = settings.model_copy(update={"data_dir": folder / "data"})
    with running(
        folder / "papers", own, FakeModel(ANSWER), openai_api=True,
        requests_per_minute=1_000_000,
    ) as server:  # fmt: skip
        assert server.client.post(f"{server.library}/sync?stream=true").status_code == 202
        yield server


SCHEMA = schemathesis.openapi.from_dict(
    create_app(Service(Settings(), model=FakeModel(ANSWER)), openai_api=True).openapi()
)
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}


CASES = [
    (label, mode)
    for label, operation in OPERATIONS.items()
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or list(operation.iter_parameters()) or operation.body
]  # a request without any field cannot be wrong
LAX = {
    "POST /v1/chat/completions",  # no schema says that one of the messages is a question
    "GET /grep",  # nor what a regular expression is
    "PATCH /settings",  # nor which models there are
}


@pytest.mark.parametrize(("label", "mode"), CASES)
def test_the_server_does_what_its_description_says(patient, label, mode):
    @SOUGHT
    @given(OPERATIONS[label].as_strategy(generation_mode=mode))
    def ask(case):
        if case.path_parameters and mode is GenerationMode.POSITIVE:
            case.path_parameters["name"] = patient.name
        left_out = [positive_data_acceptance] if label in LAX else []
        case.call_and_validate(base_url=patient.url, excluded_checks=left_out, timeout=LONG)

    ask()


def operations(server):
    schema = server.client.get("/openapi.json").json()
    return [
        operation
        for path in schema["paths"].values()
        for method, operation in path.items()
        if method in METHODS
    ]


def test_every_operation_is_described(server):
    found = operations(server)
    assert len(found) == len({operation["operationId"] for operation in found}) > 20
    for operation in found:
        name = operation["operationId"]
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["tags"], name
        good = [body for status, body in operation["responses"].items() if status < "300"]
        assert good, name
        for status, body in operation["responses"].items():
            if status >= "400" and status != "416":
                reference = body["content"]["application/json"]["schema"]["$ref"]
                assert reference.endswith("/Problem"), name


def test_every_field_of_a_question_is_described(server):
    schemas = server.client.get("/openapi.json").json()["components"]["schemas"]
    for name in ("SearchRequest", "ChatRequest"):
        assert schemas[name]["examples"]
        assert all(field.get("description") for field in schemas[name]["properties"].values())
