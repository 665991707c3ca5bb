"""What there is of somebody or something: all that names it, in order of time, each with its place.

`collect.dossier` finds it, `answer` says it; no model is asked.
"""
