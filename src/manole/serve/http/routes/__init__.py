"""One module a topic; each has a `router` that `app.py` takes in."""
