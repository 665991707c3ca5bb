"""Chat models: the one protocol, and any endpoint that speaks OpenAI's."""
