from django.dispatch import receiver

from shop.signals import order_paid


@receiver(order_paid)
def send_receipt(sender, **kwargs):
    return "receipt sent"
