"""Pays an order in a real Django, and prints who has heard of it."""

import django
from django.conf import settings

settings.configure(INSTALLED_APPS=["shop.apps.ShopConfig"], USE_TZ=True)
django.setup()

from shop.checkout import pay

print(*sorted(pay()), sep=", ")
