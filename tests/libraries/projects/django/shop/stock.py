from django.dispatch import receiver

from shop.signals import order_paid


@receiver(order_paid)
def take_from_stock(sender, **kwargs):
    return "taken from stock"
