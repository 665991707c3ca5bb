"""The description of the HTTP interface is complete, and the server does what it says."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as examples

from agent.fake_models import FakeModel
from manole.serve.http.app import create_app
from manole.serve.service import Service

from .conftest import ANSWER
from .running import running

METHODS = {"get", "post", "put", "patch", "delete"}
SOUGHT = examples(
    max_examples=12, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def patient(indexed, settings):
    """A server that many requests may be sent to."""
    with running(
        indexed, settings, FakeModel(ANSWER), openai_api=True, requests_per_minute=1_000_000
    ) as server:
        yield server


@pytest.fixture(scope="module")
def description(indexed, settings):
    service = Service(settings, model=FakeModel(ANSWER))
    return schemathesis.openapi.from_dict(create_app(service, openai_api=True).openapi())


schema = schemathesis.pytest.from_fixture("description")


@schema.parametrize()
@SOUGHT
def test_the_server_does_what_its_description_says(case, patient):
    case.path_parameters = {**case.path_parameters} if case.path_parameters else {}
    if case.path_parameters.get("name"):
        case.path_parameters["name"] = patient.name
    case.call_and_validate(base_url=patient.url)


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
