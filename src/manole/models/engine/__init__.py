"""llama.cpp in a child process: its options, its server, prompts it has read."""
