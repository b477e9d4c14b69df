"""The PostgreSQL that comes with the product: found, started, shared and stopped.

Source: DESIGN section 4 ("Embedded default"); decision 0002.
"""

from ledger.embedded.server import EmbeddedServer

__all__ = ["EmbeddedServer"]
