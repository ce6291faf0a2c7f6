from shop.signals import order_paid


def pay():
    return [answer for _, answer in order_paid.send(sender=None)]
