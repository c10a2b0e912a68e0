"""x"""
from __future__ import annotations
from ._mentions import Mention
def guess_language(text: str) -> str: return "en"
def find_foreign(text: str, code: str) -> list[Mention]: return []
