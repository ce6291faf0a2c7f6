"""A framework of another kind than those whose packs ship with regreach: a shop, and a pack for it."""

from __future__ import annotations

SHOP = {
    "shop/__init__.py": "",
    "shop/registry.py": """\
HANDLERS = {}


def handles(region, kind):
    def keep(function):
        HANDLERS[(region, kind)] = function
        return function

    return keep


def find(region, kind):
    return HANDLERS.get((region, kind))
""",
    "shop/kinds.py": """\
import enum


class Region(enum.Enum):
    EU = "eu"
    US = "us"


class Kind(enum.Enum):
    CARD = "card"
    INVOICE = "invoice"


def region_of_process():
    return Region.EU
""",
    "shop/checkout.py": """\
from shop import invoices
from shop.kinds import region_of_process
from shop.registry import find


class Checkout:
    def __init__(self, kind, basket=None):
        self.basket = basket
        self.handler = find(region_of_process().value, kind.value)
        if self.handler is None:
            raise LookupError(kind)
""",
    "shop/invoices.py": """\
from shop.registry import handles


@handles("eu", "invoice")
def pay_later(basket):
    return basket
""",
    "shop/cards.py": """\
from shop.registry import handles


@handles("eu", "card")
def pay_by_card(basket):
    return basket
""",
    "shop/desk.py": """\
from shop.checkout import Checkout
from shop.kinds import Kind


def serve(basket):
    return Checkout(Kind.CARD, basket)
""",
}

PACK = """\
format = 1
name = "shop"
package = "shop"
roots = ["", "src"]
ignored_paths = ["*/tests/*"]
process_roots = ["shop.checkout"]
default_platform = "till"

[assumptions]
environment_closed = true
installed = ["payments"]

[selectors.region]
enum = "shop.kinds:Region"
sources = ["shop.kinds:region_of_process"]

[selectors.kind]
enum = "shop.kinds:Kind"

[consumers.checkout]
module = "shop.checkout"
callable = "Checkout"
ambient = ["region"]

[consumers.checkout.arguments.kind]
selector = "kind"

[consumers.checkout.arguments.basket]
new = "shop.baskets:Basket"
given = ["owner"]
fields = { size = 3 }

[[registries]]
id = "shop.handlers"
container = "shop.registry:HANDLERS"
key = ["region", "kind"]
registrars = ["shop.registry:handles"]
lookups = ["shop.registry:find"]
consumer = "checkout"
on_init_path = true

[common]
missing = ["payments.legacy"]
none = ["payments.account"]
absent = ["terminal"]
environment = { SHOP_MODE = "live" }
foreign = ["*:*Abroad*"]
values = { "payments.version" = "2.0" }

[platforms.till]
present = ["terminal"]

[platforms.web]
native = ["*:*Abroad*"]
values = { "payments.online()" = true, "payments.currencies" = ["eur", "usd"] }
"""
