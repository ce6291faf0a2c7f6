"""What runs in the processes of the smoke stage, in the interpreter that has the GPU's packages."""
