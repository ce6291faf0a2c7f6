from store.models import users  # noqa: F401
