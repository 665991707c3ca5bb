"""The ways in for programs: HTTP, stdio and MCP, all over one `Service`."""
