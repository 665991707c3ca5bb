"""On the path of Ray's processes in these tests: ends a process that fetches `deadly.md`.

So dies a process whose memory runs out, or whose parser crashes: without a word to Python.
"""

import os
import sys


def _hear(event, arguments):
    if event == "os.rename" and str(arguments[1]).endswith("/deadly.md"):
        os._exit(9)


sys.addaudithook(_hear)
