"""Makes the example folder `examples/household`: an invented family's papers of three years.

`catalogue` lists every file with its date, `texts/` holds what is written in them, and one
module a kind of file (`pdf`, `office`, `images`, `mail`, `figures`) holds how they look.
"""
