"""What code says on its own, in the languages that turn kinds are told in; another language gets English."""

from __future__ import annotations

import re
from typing import Final

from ..metrics._turn_words import plain

TEXTS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "open_none": "Nothing is open: I owe you no answer.",
        "open_some": "Still open ({n}):",
        "since": "open since turn {turn}, searched {attempts}",
        "missing": "missing: {what}",
        "given_up": "a person was asked",
        "asked_none": "You have not asked anything yet.",
        "asked_topic": "You have not asked about that.",
        "asked_some": "You asked:",
        "asked_from": "You asked, as far as I look back (from turn {turn} on):",
        "answered": "answered",
        "open": "open",
        "not_open": "That is not open; ask it again and I will search for it.",
        "answered_then": "That was answered in turn {turn}:",
        "excluded_none": "You have ruled out nothing.",
        "excluded_some": "Ruled out:",
        "no_answer": "I have not given an answer yet.",
        "no_source": "My last answer rests on no source.",
        "rests": "My last answer rests on {what}",
        "all_sources": "I have cited {what}",
        "gone": "A source of that answer is not available any more, so I cannot show it again.",
        "withdrawn": "has been withdrawn since",
        "head": "| Statement | Source |",
        "same": "The same once more {markers}:",
        "greeting": "Hello! What would you like to know?",
        "thanks": "You're welcome.",
        "bye": "Goodbye!",
        "who": "I am a program that answers questions from documents and names its sources.",
        "ok": "All right.",
    },
    "de": {
        "open_none": "Es ist nichts offen: Ich schulde dir keine Antwort.",
        "open_some": "Noch offen ({n}):",
        "since": "offen seit Runde {turn}, gesucht: {attempts}",
        "missing": "es fehlt: {what}",
        "given_up": "ein Mensch wurde gefragt",
        "asked_none": "Du hast noch nichts gefragt.",
        "asked_topic": "Danach hast du nicht gefragt.",
        "asked_some": "Du hast gefragt:",
        "asked_from": "Du hast gefragt, soweit ich zurücksehe (ab Runde {turn}):",
        "answered": "beantwortet",
        "open": "offen",
        "not_open": "Das ist nicht offen; frag noch einmal, dann suche ich danach.",
        "answered_then": "Das wurde in Runde {turn} beantwortet:",
        "excluded_none": "Du hast nichts ausgeschlossen.",
        "excluded_some": "Ausgeschlossen:",
        "no_answer": "Ich habe noch keine Antwort gegeben.",
        "no_source": "Meine letzte Antwort beruht auf keiner Quelle.",
        "rests": "Meine letzte Antwort beruht auf {what}",
        "all_sources": "Ich habe zitiert: {what}",
        "gone": "Eine Quelle dieser Antwort steht nicht mehr zur Verfügung; ich kann sie nicht noch einmal zeigen.",
        "withdrawn": "wurde inzwischen zurückgezogen",
        "head": "| Aussage | Quelle |",
        "same": "Dasselbe noch einmal {markers}:",
        "greeting": "Hallo! Was möchtest du wissen?",
        "thanks": "Gern geschehen.",
        "bye": "Auf Wiedersehen!",
        "who": "Ich bin ein Programm, das Fragen aus Dokumenten beantwortet und seine Quellen nennt.",
        "ok": "In Ordnung.",
    },
    "fr": {
        "open_none": "Rien n'est en suspens : je ne te dois aucune réponse.",
        "open_some": "Encore en suspens ({n}) :",
        "since": "en suspens depuis le tour {turn}, recherches : {attempts}",
        "missing": "il manque : {what}",
        "given_up": "une personne a été consultée",
        "asked_none": "Tu n'as encore rien demandé.",
        "asked_topic": "Tu n'as rien demandé à ce sujet.",
        "asked_some": "Tu as demandé :",
        "asked_from": "Tu as demandé, à partir du tour {turn} :",
        "answered": "répondu",
        "open": "en suspens",
        "not_open": "Cela n'est pas en suspens ; repose la question et je chercherai.",
        "answered_then": "La réponse a été donnée au tour {turn} :",
        "excluded_none": "Tu n'as rien exclu.",
        "excluded_some": "Exclu :",
        "no_answer": "Je n'ai pas encore donné de réponse.",
        "no_source": "Ma dernière réponse ne repose sur aucune source.",
        "rests": "Ma dernière réponse repose sur {what}",
        "all_sources": "J'ai cité {what}",
        "gone": "Une source de cette réponse n'est plus disponible ; je ne peux pas la montrer à nouveau.",
        "withdrawn": "a été retirée depuis",
        "head": "| Énoncé | Source |",
        "same": "La même chose {markers} :",
        "greeting": "Bonjour ! Que veux-tu savoir ?",
        "thanks": "Je t'en prie.",
        "bye": "Au revoir !",
        "who": "Je suis un programme qui répond à partir de documents et nomme ses sources.",
        "ok": "D'accord.",
    },
    "es": {
        "open_none": "No queda nada pendiente: no te debo ninguna respuesta.",
        "open_some": "Aún pendiente ({n}):",
        "since": "pendiente desde el turno {turn}, búsquedas: {attempts}",
        "missing": "falta: {what}",
        "given_up": "se ha preguntado a una persona",
        "asked_none": "Todavía no has preguntado nada.",
        "asked_topic": "No has preguntado por eso.",
        "asked_some": "Has preguntado:",
        "asked_from": "Has preguntado, desde el turno {turn}:",
        "answered": "respondida",
        "open": "pendiente",
        "not_open": "Eso no está pendiente; pregúntalo otra vez y lo buscaré.",
        "answered_then": "Eso se respondió en el turno {turn}:",
        "excluded_none": "No has excluido nada.",
        "excluded_some": "Excluido:",
        "no_answer": "Todavía no he dado ninguna respuesta.",
        "no_source": "Mi última respuesta no se basa en ninguna fuente.",
        "rests": "Mi última respuesta se basa en {what}",
        "all_sources": "He citado {what}",
        "gone": "Una fuente de esa respuesta ya no está disponible; no puedo mostrarla otra vez.",
        "withdrawn": "ha sido retirada desde entonces",
        "head": "| Afirmación | Fuente |",
        "same": "Lo mismo {markers}:",
        "greeting": "¡Hola! ¿Qué quieres saber?",
        "thanks": "De nada.",
        "bye": "¡Hasta luego!",
        "who": "Soy un programa que responde a partir de documentos y nombra sus fuentes.",
        "ok": "De acuerdo.",
    },
    "it": {
        "open_none": "Non c'è nulla in sospeso: non ti devo nessuna risposta.",
        "open_some": "Ancora in sospeso ({n}):",
        "since": "in sospeso dal turno {turn}, ricerche: {attempts}",
        "missing": "manca: {what}",
        "given_up": "è stata interpellata una persona",
        "asked_none": "Non hai ancora chiesto nulla.",
        "asked_topic": "Non hai chiesto nulla al riguardo.",
        "asked_some": "Hai chiesto:",
        "asked_from": "Hai chiesto, dal turno {turn}:",
        "answered": "risposta data",
        "open": "in sospeso",
        "not_open": "Questo non è in sospeso; chiedilo di nuovo e lo cercherò.",
        "answered_then": "La risposta è stata data al turno {turn}:",
        "excluded_none": "Non hai escluso nulla.",
        "excluded_some": "Escluso:",
        "no_answer": "Non ho ancora dato una risposta.",
        "no_source": "La mia ultima risposta non si basa su alcuna fonte.",
        "rests": "La mia ultima risposta si basa su {what}",
        "all_sources": "Ho citato {what}",
        "gone": "Una fonte di quella risposta non è più disponibile; non posso mostrarla di nuovo.",
        "withdrawn": "è stata ritirata nel frattempo",
        "head": "| Affermazione | Fonte |",
        "same": "Lo stesso {markers}:",
        "greeting": "Ciao! Che cosa vuoi sapere?",
        "thanks": "Prego.",
        "bye": "Arrivederci!",
        "who": "Sono un programma che risponde a partire da documenti e nomina le sue fonti.",
        "ok": "Va bene.",
    },
}

_SOCIAL = (
    (
        "who",
        r"(?:who|what) are you|your name|what can you do|how can you help|are you (?:really )?(?:a|an|the)\b"
        r"|wer bist du|wer sind sie|bist du ein|wie heisst du|was kannst du|qui (?:es tu|etes vous)|es tu un|t'appelles"
        r"|quien eres|eres un|te llamas|puedes hacer|chi sei|sei un|ti chiami|(?:puoi|sai) fare",
    ),
    (
        "thanks",
        r"thank|thx|\bty\b|cheers|appreciat|help|danke|dank\b|merci|gracias|grazie|great|good (?:answer|job|one|work)"
        r"|perfect|brilliant|amazing|awesome|excellent|super|toll|parfait|perfecto|perfetto|nice one|well done",
    ),
    (
        "bye",
        r"\bbye|goodbye|see you|tschuss|wiedersehen|au revoir|bientot|adios|hasta|arrivederci|take care|good night",
    ),
    (
        "greeting",
        r"^(?:hello|hi|hey|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|guten|bonjour|bonsoir"
        r"|salut|hola|buen[oa]s|ciao|salve|buongiorno|buonasera|how are you)\b",
    ),
)


def say(key: str, language: str, **values: object) -> str:
    """Return a text in a language; English where there is none.

    Raises:
        KeyError: There is no such text.
    """
    return TEXTS.get(language, TEXTS["en"])[key].format(**values)


def small_talk(query: str, language: str) -> str:
    """Return a short reply to small talk: it greets, is thanked, says goodbye or who it is, or takes note."""
    words = plain(query[:400])
    key = next((name for name, pattern in _SOCIAL if re.search(pattern, words)), "ok")
    return say(key, language)
