from django.dispatch import Signal

order_paid = Signal()
