from celery import shared_task


@shared_task(name="reports.build")
def build(month):
    return f"report of {month}"
