"""What the abstract machine knows of builtins and of the standard library.

Only what steers imports, branches or registries is modelled; any other call gives an External
value whose truth is not known. Facts about the installation (which packages are absent, what
``torch.cuda.is_available()`` says) come from the ``World``, never from here.
"""
