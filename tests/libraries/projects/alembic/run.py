"""Makes a database of all models, lets the real alembic compare, and prints what its migration would do."""

import re
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

engine = create_engine("sqlite:///store.db")
with engine.begin() as connection:
    connection.execute(text("CREATE TABLE users (id INTEGER NOT NULL PRIMARY KEY)"))
    connection.execute(text("CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY)"))
engine.dispose()

config = Config()
config.set_main_option("script_location", "store/migrations")
config.set_main_option("sqlalchemy.url", "sqlite:///store.db")
config.set_main_option("path_separator", "os")
revision = command.revision(config, autogenerate=True)
print(*re.findall(r"op\.\w+\('\w+'\)", Path(revision.path).read_text()) or ["nothing"], sep=", ")
