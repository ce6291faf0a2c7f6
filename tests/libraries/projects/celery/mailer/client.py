from mailer.celery import app


def monthly_report(month):
    return app.send_task("reports.build", [month])
