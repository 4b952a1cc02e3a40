"""pymetastore, whose stubs are those of Hive 4 with the old methods beside the new ones."""
from life import hive_life
from plain_client import PlainClient
from support import metastore

VERSION = "0.4.2"


def test_whole_life(backend, new_name):
    with metastore.connect(backend.port) as client:
        hive_life(PlainClient(client), backend, new_name)


def test_whole_life_with_the_old_methods(backend, new_name):
    with metastore.connect(backend.port) as client:
        hive_life(PlainClient(client, old_calls=True), backend, new_name)
