"""What holds for all tests: no key of the person who runs them is read or changed."""

from __future__ import annotations

import os

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
