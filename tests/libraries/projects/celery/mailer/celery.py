from celery import Celery

app = Celery("mailer", include=["mailer.tasks"], set_as_current=True)
app.conf.update(broker_url="memory://", result_backend="cache+memory://")
