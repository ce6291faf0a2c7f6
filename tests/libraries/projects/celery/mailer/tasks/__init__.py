from mailer.tasks import letters  # noqa: F401
