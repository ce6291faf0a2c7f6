"""Lets a real worker do what the client asks for, and prints how that ends."""

from celery.contrib.testing.worker import start_worker
from celery.exceptions import NotRegistered
from mailer.celery import app
from mailer.client import monthly_report

app.loader.import_default_modules()  # what `celery -A mailer worker` does first
with start_worker(app, pool="solo", perform_ping_check=False, shutdown_timeout=30):
    print(app.send_task("letters.send", ["Ann"]).get(timeout=20))
    try:
        print(monthly_report("May").get(timeout=20))
    except NotRegistered as error:
        print(f"NotRegistered: {error}")
