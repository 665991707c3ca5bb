"""Beyond one machine (the extra `cluster`): an index on object storage, read by many, made by Ray.

`opening` tells an address from a folder. `library` is a `Library` whose tables, `store`, and small
files, `notes`, lie in a bucket (`bucket`); `lease` sees to one writer. `sync` brings such an index
up to date: `listing` says what there is, `reader` reads a file on whichever machine, `local` and
`rays` have many of them read, and one process writes what comes back.
"""
