"""llama.cpp, inside this process or in a child: its options, its server, prompts it has read."""
