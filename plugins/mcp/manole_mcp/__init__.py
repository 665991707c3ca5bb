"""Manole for programs that speak the Model Context Protocol: `manole mcp`.

`contents`, `asking` and `filetools` are the tools, free of the SDK; `reading` and `uris` find the
text and the places of files. `server` and `resources` translate between them and the SDK, `stdio`
and `http` carry the messages. Everything is read only and comes from the library's index.
"""
