"""Manole for programs that speak the Model Context Protocol: `manole mcp`.

`contents`, `asking` and `filetools` are the tools, free of the SDK; `reading` and `uris` say what
stands where. `server` and `resources` translate between them and the SDK, `stdio` and `http` carry
the messages. Everything is read only, and everything comes from the library's index.
"""
