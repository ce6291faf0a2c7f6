"""The whole story of one key: what registers it, who asks for it, and by which imports it is there."""
