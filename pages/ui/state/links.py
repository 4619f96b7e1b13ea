"""A page's value as the query of an address, with a check that nothing of it is missing."""

import zlib
from collections.abc import Mapping
from urllib.parse import quote, urlencode

KEPT = "kept"  #: names a link that is too long for an address and is kept in the browser
CHECK = "check"  #: stands first in a link, so that one that was cut short at its end is noticed


def query_of(texts: Mapping[str, str]) -> str:
    """The texts as an address carries them; blanks are %20, because messengers turn + into a plus sign."""
    return urlencode(texts, safe=",;", quote_via=quote)


def with_check(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts with their checksum before them, where there are any."""
    return {CHECK: checksum(texts), **texts} if texts else {}


def checksum(texts: Mapping[str, str]) -> str:
    """Four signs that are others when a field is changed, missing or cut, in whatever order the fields stand."""
    return f"{zlib.crc32(query_of(dict(sorted(texts.items()))).encode()) & 0xFFFF:04x}"
