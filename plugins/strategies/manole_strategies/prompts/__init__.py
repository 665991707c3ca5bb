"""The prompts of these strategies: one text file each, read as the agent's own are."""

from functools import partial

from manole.agent.prompts import prompt as read

prompt = partial(read, package=__name__)
