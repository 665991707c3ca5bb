"""Tests of `manole mcp`, with the SDK's own client."""
