"""``audit --format html``: one page that needs nothing but itself."""
