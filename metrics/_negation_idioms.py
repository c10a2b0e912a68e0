"""Negation words that rule nothing out: idioms, bounds, double negation, reported speech; regular expressions alone."""

from __future__ import annotations

import re

_CANT = r"(?:can't|cannot|can not|cant|couldn't|couldnt)"
_DONT = r"(?:don't|do not|dont)"

#: Spans in which no cue can begin.
IDIOM = re.compile(
    r"\b(?:"
    # a free choice, and idioms of "without"
    r"with(?:/| or | and |out or )with(?:out)?\b"
    r"|without (?:a |any |the |further |much |more |due )?(?:shadow of )?(?:a )?(?:doubt|question|fail|ado|further ado"
    r"|delay|exceptions?|warning|notice|hesitation|borders|saying|end)\b"
    r"|(?:not|never|live|do|go|be|leave home|cope|manage) without\b|without (?:which|whom|success)\b"
    r"|no \w{1,30}(?: \w{1,30})? without\b"
    # the same in other languages
    r"|mit (?:oder|und) ohne\b|ohne (?:zweifel|frage|weiteres|ausnahme)\b|avec ou sans\b|sans (?:doute"
    r"|faute|cesse|serif)\b"
    r"|con (?:o|e|y) (?:sin|senza)\b|sin (?:duda|embargo|falta)\b|senza (?:dubbio|altro)\b|com ou sem\b"
    r"|sem d\u00favida\b|met of zonder\b|zonder twijfel\b|med (?:eller|och|og) (?:utan|uden)\b|pas (?:seulement|mal)\b"
    r"|nicht (?:nur|wahr|so|mehr als|weniger als)\b"
    # idioms and bounds of "no"
    r"|no (?:doubt|problems?|matter|wonder|longer|more than|less than|fewer than|later than|earlier than|bigger than"
    r"|larger than|smaller than|higher than|lower than|longer than|older than|younger than|sooner|idea|need"
    r"|way(?: to)?|worries|thanks|thank you|offen[cs]e|rush|hurry|kidding|such|good|use|big deal|brainer|clue|chance"
    r"|luck|hard feelings|strings attached|biggie|comment|joke|sweat|point|entry|\d[\w.]*|other than|man's|shows?\b)\b"
    r"|(?:by|in|of) no (?:means|time|way|use|avail|interest|importance)\b|(?:or|and) no \w{1,20}\?|yes or no\b"
    r"|(?:nothing|none|nobody|no one|noone) but\b|all but (?:impossible|certain|forgotten|gone|dead|over|one)\b"
    r"|(?:no|not|n't) (?:much |any |be |been |get |cost )?(?:\w{2,15}er|more|less|worse|better|further) than\b"
    # "not" that adds, hedges, bounds or is answered
    r"|not (?:only|just|merely|simply|solely|necessarily|sure|certain|to mention|yet|bad|at all|even|more than"
    r"|less than|fewer than|until|till|later than|earlier than|above|all|everyone|everything|every|much|many"
    r"|any ?more|always|exactly|un(?:common|usual|likely|reasonable|happy|important|known|aware"
    r"|interesting|familiar|pleasant)\w{0,3}|in(?:frequent|expensive|significant|appropriate|correct|convenient)\w{0,5}"
    r"|dis(?:similar|honest|satisfied|appointed)|able|allowed|possible|found|working|available"
    r"|surprisingly|again|now|fussed|bothered|picky"
    r"|once|an? (?:problem|issue|deal ?breaker|must|big deal|biggie|requirement|rush)|ready|happy|enough|long|often"
    r"|a lot|that (?:i|it|we)|to worry|in stock|least|really|essential|required)\b"
    r"|(?:whether|believe it|like it|ready|more often than|why|or|if|as often as) not\b(?! \w+ or)"
    r"|last but not least\b|but not least\b|may or may not\b"
    # double negation, politeness, rhetorical questions
    rf"|{_CANT} (?:wait|afford not|help but|live without|do without|go wrong|complain|say no|get enough|hurt|believe"
    r"|remember|recommend .{0,20}enough)\b(?: to)?"
    rf"|why {_DONT}\b|why not\b|why (?:can't|isn't|aren't|doesn't|didn't|won't)\b"
    rf"|{_DONT} (?:suppose|think|know|forget|hesitate|worry|you|remember|understand|believe|tell me|bother|get me wrong"
    r"|see|feel|miss|lose|have to|be (?:shy|afraid)|care (?:if|whether|about|what|which|how))\b"
    r"|(?:wouldn't|won't|couldn't) (?:it|you|that|mind|hurt|it be)\b"
    r"|(?:isn't|aren't|doesn't|don't|didn't|wasn't|weren't|won't|can't|hasn't|haven't|couldn't|wouldn't|shouldn't)"
    r" (?:it|they|there|he|she|we|you|i)\?"
    r"|(?:nothing|no one|nobody) (?:like|beats|better|wrong)\b|not so much\b|never (?:ever )?mind\b"
    r")",
    re.IGNORECASE,
)

_SAYS = (
    r"(?:says?|said|wrote|writes|claims?|claimed|told (?:me|us|them|him|her)|tells (?:me|us)|states?|stated|insists?"
    r"|insisted|warns?|warned|reads?|argued|argues|reports?|reported|recommends|recommended|advises|advised|complained"
    r"|complains|replied|answered)"
)
#: What somebody else said, to the end of the clause.
REPORTED = re.compile(
    r"\b(?:(?:the|a|an|his|her|their|its|this|that|another|some|one|my|our) (?:[\w'-]{1,30} ){0,2}[\w'-]{1,30}"
    rf"|he|she|they|someone|somebody|[A-Z][\w'-]{{1,30}}(?: [A-Z][\w'-]{{1,30}})?) {_SAYS}\b"
    r"(?: that\b|:|,| (?=(?:no|not|don't|never|without|nothing|it|its|they|he|she|we|you|i|the|there|this"
    r"|their|our)\b))"
    r" ?[^.?!;\n]{0,400}",
)

#: A preference that the user does not insist on; looked for in the sentence.
SOFT = re.compile(
    r"\b(?:if (?:at all )?possible|when(?:ever)? possible|where(?:ver)? possible|if you can|if it can be helped|ideally"
    r"|preferabl[ey]|(?:not|isn't|no) (?:a |really a )?(?:deal[ -]?breakers?|must(?:-have)?|big deal)|would be nice"
    r"|'d be nice|nice to have|prefer(?:red)? without|unless (?:necessary|needed|you have to"
    r"|there(?:'s| is) no)|not (?:that )?(?:important|essential|crucial|critical)|but (?:i )?(?:can|could) live with"
    r"|but (?:it's |that's )?(?:not|no) (?:essential|problem|biggie)|at a pinch|if need be|don't mind (?:too much|much)"
    r"|not too fussed|if (?:it's )?avoidable|not the end of the world"
    r"|wenn m\u00f6glich|si possible|si es posible)\b",
    re.IGNORECASE,
)
