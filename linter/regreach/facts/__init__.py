"""libcst -> plain data: what a module says, without any judgement of it."""
