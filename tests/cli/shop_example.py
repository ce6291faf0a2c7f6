"""A framework of another kind than those whose packs ship with regreach: the shop of docs/packs.md."""

from __future__ import annotations

from pathlib import Path

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "packs.md"

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
from shop import invoices  # noqa: F401
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

PACK = DOCUMENT.read_text(encoding="utf-8").split("```toml\n", 1)[1].split("```", 1)[0]
