"""What looks like a secret in running text: names of secrets with a value behind them, and tokens known by their shape.

The more a name says ("password", "API key"), the less its value has to look like a secret; behind "key" alone, which is
ordinary prose, only a long mix of letters and digits counts. Every repetition is bounded or stands behind a literal, so
that masking is linear in the length of the text.
"""

from __future__ import annotations

import re

MASK = "[secret]"

_PASSWORD = (
    r"(?:pass[\ _-]?(?:word|phrase|code)|passwd|pwd|passwort|kennwort|mot\ de\ passe|contraseña|wachtwoord|senha"
    r"|пароль|密码|密碼|パスワード)"
)
_KIND = r"(?:api|access|secret|private|account|auth|refresh|client|session|bearer|signing|encryption|security)"
_COMPOUND = (
    rf"(?:{_KIND}[\ _-]?(?:key|token|secret)(?:[\ _-]?id)?|authorization|(?-i:(?<=[A-Z0-9]_)(?:KEY|TOKEN|PASS)))"
)
_GENERIC = r"(?:(?<![a-z])(?:token|secret|credentials?|auth)|(?-i:(?<=[a-z])(?:Token|Secret)))"
_QUOTES = "\\\\\"'`*"
_SEPARATOR = (
    rf"(?:[{_QUOTES}]{{0,4}}\s{{0,4}}(?:=>?|:=?)[*`]{{0,3}}\s{{0,4}}"
    r"(?:(?:bearer|basic|digest|token)\s{1,4})?[\\`*]{0,3}[\"']?)"
)
# Words that go on with a sentence ("Password: must have ...") and are no value.
_PROSE = (
    r"(?!(?:an?|and|are|at|be|been|both|but|by|can|cannot|choose|click|do|does|enter|expired|false|for|from|has|have|how"
    r"|if|in|incorrect|invalid|is|it|its|lost|may|missing|must|never|no|none|not|null|of|on|only|optional|or|our|please"
    r"|required|reset|same|see|should|that|the|then|they|this|to|true|type|unknown|use|valid|was|we|what|when|where"
    r"|which|who|why|will|with|wrong|you|your)\b)"
)
_IN_QUOTES = r"(?<=\")(?:[^\"\\\n]|\\(?!\")){1,1000}|(?<=')[^'\n]{1,1000}"
_BARE = r"[^\s\"',;}]{1,1000}"
_ANY = rf"(?:{_IN_QUOTES}|(?<![\"']){_PROSE}{_BARE})"
# Digits with letters, a capital inside a word, a symbol before a letter: no word of a language.
_LOOKS = r"(?=\S{0,60}(?:\d\S{0,60}[a-z]|[a-z]\S{0,60}\d|[!@#$%^&+=~][a-z0-9]|(?-i:[a-z][A-Z]|[A-Z]{2}[a-z]{2})))"
_MIXED = r"(?=(?:[^\sa-z]{0,30}[a-z]){3})(?=[^\s\d]{0,60}\d)"
_STATE = (
    r"(?!\w{0,30}(?:ed|ing|able|ible|al)\b|(?:bad|blank|correct|easy|empty|fine|gone|good|hard|here|long|mandatory|new|ok"
    r"|okay|old|public|right|safe|secure|short|simple|strong|there|unclear|unique|weak)\b)"
)

_NAMED = (
    # A name and its value. What is captured stays.
    rf"((?:{_PASSWORD}|{_COMPOUND})s?{_SEPARATOR}){_ANY}",
    rf"((?:{_PASSWORD}|{_COMPOUND}|{_GENERIC})\s{{1,4}}(?:is|was|are)\s{{1,4}}[`*]{{0,3}})"
    rf"(?:[\"'][^\"'\n]{{1,200}}|{_LOOKS}{_PROSE}[^\s\"',;}}]{{4,1000}})",
    rf"({_PASSWORD}\s{{1,4}}(?:is|was)\s{{1,4}}){_PROSE}{_STATE}"
    r"(?:[a-z]{3,60}(?=\s{0,4}(?:[.!;,)]|\Z|\n))|\d{4,60}(?![\d.,]|\ [a-z]{3,}s\b))",
    rf"(--(?:{_PASSWORD}|{_COMPOUND}|{_GENERIC})\s{{1,4}}[\"']?)(?!-){_BARE}",
    rf"({_GENERIC}[\\\"'`*]{{1,4}}\s{{0,4}}[:=]\s{{0,4}}\\{{0,3}}[\"'])(?:{_IN_QUOTES})",
    rf"({_GENERIC}=[\\]{{0,3}}[\"']?)[^\s\"',;}}&]{{4,1000}}",
    rf"({_GENERIC}{_SEPARATOR}){_LOOKS}{_PROSE}[^\s\"',;}}]{{6,1000}}",
    rf"((?<![a-z])(?:key|sig|signature){_SEPARATOR}){_MIXED}[\w.~+/=-]{{12,1000}}",
    r"([?&#](?:[\w.-]{0,40}(?:key|token|sig|signature|secret|auth|credential)|code|session|sid|pass)=)[^\s&#\"']{4,1000}",
    r"(\b(?:session(?:_?id)?|[a-z]{0,10}sessid|jsessionid|connect\.sid|sid)=)[^\s\"',;&]{6,1000}",
    r"(\b(?:set-)?cookie[\"']?:\s{0,4}[\"']?)(?=[\w.-]{1,60}=)[^\r\n\"']{1,4096}",
    r"(\b(?:bearer|basic)\s{1,4})[A-Za-z0-9._~+/=-]{12,}",
    # Addresses that carry one. A port before a path is no password.
    r"(://[^\s/:@]{0,100}:)(?!\d{1,5}[/?\#])[^\s@]{1,200}(?:@[^\s@/?\#]{1,100}(?=@)){0,3}(?=@)",
    r"(://)[^\s/@:?\#]{12,300}(?=@)",
    r"(hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/-]{8,200}",
    r"(discord(?:app)?\.com/api/webhooks/)[\w/-]{8,200}",
)
_SHAPED = (
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}",
    r"\b(?:sk|pk|rk|whsec)_(?:live_|test_|prod_)?[A-Za-z0-9]{16,}",
    r"\b(?:hf|gh[opusr]|glpat|github_pat|xox[abeprs]|xapp|npm|pypi|nvapi|gsk|xai|dop_v1|shp(?:at|ss|ca)|dckr_pat)[_-][A-Za-z0-9_-]{16,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bAIza[0-9A-Za-z_-]{30,}",
    r"\bya29\.[A-Za-z0-9_-]{8,}",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"\b\d{8,12}:AA[A-Za-z0-9_-]{30,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{0,4096})?",
    r"-----BEGIN\ [A-Z ]{0,30}PRIVATE\ KEY(?:\ BLOCK)?-----[A-Za-z0-9+/=\s\\:.,()-]{0,16384}",
)
_NAMES = re.compile("|".join(_NAMED), re.IGNORECASE)
_SHAPES = re.compile("|".join(_SHAPED), re.IGNORECASE)
# Without one of these in it, a text cannot match `_NAMES`: most texts are spared the slow half.
_HINTS = (
    *("pass", "pwd", "wort", "contraseña", "senha", "пароль", "密码", "密碼", "パスワード", "key", "token", "secret"),
    *("auth", "credential", "sig", "sess", "sid", "code=", "cookie", "bearer", "basic", "://", "hooks.", "webhooks"),
)
_FIELD = re.compile(rf"(?:(?:{_PASSWORD}|{_COMPOUND})s?|{_GENERIC})\Z", re.IGNORECASE)

_USER_INFO = re.compile(r"://([^\s/?#:@]{0,100}:)?[^\s/?#]{1,300}@")  # as far as the last @ before the path

# Invisible characters inside a name, and full-width letters, hide it from the patterns and not from a reader.
_FOLDED = str.maketrans(
    {
        **dict.fromkeys((0xAD, 0x034F, 0x180E, 0xFEFF)),
        **dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070))),
        **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    }
)  # fmt: skip


def mask_secrets(text: str) -> str:
    """Replace what looks like an API key, token, password or private key; linear in the length of the text.

    Invisible characters and full-width letters are folded in a text that hides a secret behind them, and only there.
    """
    masked = _without(text)
    if masked.isascii():
        return masked
    folded = masked.translate(_FOLDED)
    again = _without(folded)
    return masked if again == folded else again


def mask_addresses(text: str) -> str:
    """Replace the password of each address in a text, or all that stands before its host, however short it is."""
    return _USER_INFO.sub(lambda found: f"://{found[1] or ''}{MASK}@", mask_secrets(text))


def names_secret(field: str) -> bool:
    """Whether a field of an object is named as a secret, whatever it holds."""
    return _FIELD.search(field) is not None


def _without(text: str) -> str:
    plain = text.casefold()
    if any(hint in plain for hint in _HINTS):
        text = _NAMES.sub(_masked, text)
    return _SHAPES.sub(MASK, text)


def _masked(match: re.Match[str]) -> str:
    return next((kept for kept in match.groups() if kept is not None), "") + MASK
