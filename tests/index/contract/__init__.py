"""What every `Store` has to do (`manole.index.store.protocol`), as tests that any store inherits.

    class TestLanceStore(StoreContract):
        opener = "contract.openers:lance"

`opener` names an async function `(path: Path) -> Store` that opens, or begins, the index in a
folder. It is a name, as the tests start processes of their own that open the same folder. Write
it so that whatever the store does with many passages begins at some hundreds.
"""

from contract.changing import Changing
from contract.finding import Finding
from contract.surviving import Surviving


class StoreContract(Changing, Finding, Surviving):
    """All of it."""
