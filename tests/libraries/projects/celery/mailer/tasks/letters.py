from mailer.celery import app


@app.task(name="letters.send")
def send(to):
    return f"sent to {to}"
