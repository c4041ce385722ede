"""Whose certificates are believed: the bundle that the person set for a server (`ca_bundle`), else the one that the
environment names, else the usual authorities.

A company that looks into its own traffic signs it with an authority of its own, which it names in one of these
variables: httpx reads only the first two, and none of them for an address on this machine.
"""

from __future__ import annotations

import os
import ssl
from typing import Final

BUNDLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables that name a file, or a folder, of certificates: the first that is set counts."""
FOLDER: Final = "SSL_CERT_DIR"


def verified(url: str, bundle: str = "") -> ssl.SSLContext | bool:
    """How the server at `url` proves who it is; `bundle` is the person's own. Raises OSError, which names the setting
    or the variable, where that cannot be read."""
    if not url.startswith("https:"):
        return False  # without TLS, loading the certificates would only cost start time
    named = "ca_bundle" if bundle else next((name for name in (*BUNDLES, FOLDER) if os.environ.get(name)), "")
    if not named:
        return True
    path = os.path.expanduser(bundle) if bundle else os.environ[named]  # noqa: PTH111 - as above all, a name
    folder = named == FOLDER or os.path.isdir(path)  # noqa: PTH112 - a name that may be anything
    try:
        return ssl.create_default_context(capath=path) if folder else ssl.create_default_context(cafile=path)
    except OSError as error:
        raise OSError(f"{named}={path}: {error.strerror or 'holds no certificate'}") from None
