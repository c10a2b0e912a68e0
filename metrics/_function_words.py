"""Words that carry no content of their own, by language: closed classes, written from grammar, never from data."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Closed-class words, auxiliaries and light verbs: they may appear and vanish freely.
ENGLISH = _words(
    """
    a an the this that these those it its he him his she her hers they them their theirs himself herself itself
    themselves i me my mine myself we us our ours ourselves you your yours yourself yourselves one ones someone
    somebody something anyone anybody anything everyone everybody everything who whom whose which what when where
    why how whatever whichever whoever whenever wherever of to in on at by for from with into onto upon as about
    if or and but nor so than then there here via per am is are was were be been being isn aren wasn weren have
    has had having do does did doing done can could will would shall should may might must ought cannot need dare
    get gets got getting gotten make makes made making take takes took taking taken give gives gave giving given
    go goes going went gone let lets put puts come comes came coming happen happens happened happening keep kept
    know tell tells told want wants wanted like wonder wondering ask asking asked say says said mean means meant
    talk talking speak think guess see look looking check any some all both each every either such just also too
    even well very really quite rather actually basically please kindly thanks thank hello hi hey ok okay yes yeah
    yep sure oh ah um uh hmm well right now again anyway instead maybe perhaps ever yet already however though
    although because while whether it's etc still s t d ll re ve m more other others another else much many lot
    lots bit little few several enough up out off back along around away together pretty thing things stuff way
    ways whats hows wheres whos thats theres id im ive
    """
)

#: Prepositions and particles with a meaning of their own: those of the query survive, the result may add them.
MEANINGFUL = _words(
    "before after since until till under over above below beneath near outside inside within during against between "
    "besides beyond behind beside across among through versus vs"
)

#: Words that a rewrite may add to hold its referents together; none names a thing or a property.
GLUE = _words(
    "besides aside apart addition regarding concerning related relation respect terms case context following mentioned "
    "named called same different previous previously earlier later one two kind kinds type types sort sorts example "
    "examples instance exist exists exact exactly compared comparison compare difference topic subject "
    "toward towards regards asides obvious details "
    "list show describe explain provide exclude excluding except include including own"
)

NEGATIONS = _words(
    "not no never none nor neither without nobody nothing nowhere cannot except excluding exclude excludes excluded "
    "unless noone dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt hasnt havent hadnt "
    "non lacking lacks omit omitting"
)

#: Function words of other languages, interrogatives and light verbs included.
OTHERS: dict[str, frozenset[str]] = {
    "de": _words(
        "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ist sind "
        "war waren hat haben hatte wird werden wurde kann können könnte muss müssen soll sollte darf ich du er sie "
        "es wir ihr mich mir dich dir ihm ihn ihnen uns euch sich mein meine meinen meiner dein deine sein seine "
        "seinen ihre ihren ihrer unser unsere was wer wie wo wann warum welche welcher welches welchen wieviel "
        "wofür womit wohin woher in im an am auf aus bei mit nach von vom vor zu zum zur für über unter durch ohne "
        "gegen um als auch noch nur sehr so dann da dort hier denn doch mal bitte danke dieser diese dieses diesen "
        "diesem jener jene gibt geht macht dazu davon dafür damit man wenn ob dass weil mehr andere anderen viel "
        "viele lange heißt bedeutet"
    ),
    "fr": _words(
        "le la les l un une des du de d et ou mais ne pas plus aucun aucune est sont était été être a ont avait "
        "avoir ai as peut peuvent pouvez puis doit faut faire fait fais va vais je tu il elle on nous vous ils "
        "elles me te se moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette "
        "ces cela ça c qui que qu quoi quel quelle quels quelles quand où comment pourquoi combien dont à au aux "
        "en dans sur sous par pour avec sans chez entre vers si comme aussi très bien alors donc y s j n t m quels "
        "est-ce merci oui non autre autres encore même là ici celui celle ceux celles lequel laquelle"
    ),
    "es": _words(
        "el la los las lo un una unos unas y e o u pero no ni nunca es son era eran fue fueron ser está están "
        "estaba estar ha han había haber hay tiene tienen tenía tener puede pueden puedo poder debe hacer hace "
        "hago va ir yo tú él ella ello nosotros ustedes ellos ellas me te se nos le les mi mis tu tus su sus "
        "nuestro nuestra este esta esto estos estas ese esa eso esos esas aquel aquella que qué quién quiénes cuál "
        "cuáles cuándo cuando dónde donde cómo como cuánto cuánta cuántos cuántas por porque para de del a al en "
        "con sin sobre entre desde hasta si sí más muy también ya ahí allí aquí otro otra otros otras gracias "
        "favor entonces cual quien"
    ),
    "it": _words(
        "il lo la i gli le l un uno una e o ma non né è sono era erano fu essere sta ha hanno aveva avere può "
        "possono posso deve fare fa va io tu lui lei noi voi loro mi ti si ci vi ne mio mia miei mie tuo tua suo "
        "sua suoi sue nostro questo questa questi queste quello quella quelli quelle che chi cosa quale quali "
        "quando dove come perché quanto quanta quanti quante di del della dei delle dello degli da dal dalla a al "
        "alla ai alle in nel nella nei nelle con su sul sulla per tra fra senza se anche più molto già lì qui "
        "altro altra altri altre grazie c'è cos'è dov'è"
    ),
    "pt": _words(
        "o a os as um uma uns umas e ou mas não nem nunca é são era eram foi foram ser está estão estava estar há "
        "tem têm tinha ter pode podem posso deve fazer faz vai ir eu tu ele ela nós vocês você eles elas me te se "
        "nos lhe meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta isto estes estas esse essa "
        "isso esses essas aquele aquela aquilo que quem qual quais quando onde como quanto quanta quantos quantas "
        "por porque porquê para de do da dos das em no na nos nas com sem sobre entre desde até ao à aos às pelo "
        "pela num numa se sim mais muito também já aí ali aqui lá outro outra outros outras obrigado obrigada "
        "então custa"
    ),
    "nl": _words(
        "de het een en of maar niet geen is zijn was waren ben bent wordt worden werd heeft hebben had heb kan "
        "kunnen kon moet moeten mag zal zullen zou gaat gaan doet doen ik jij je u hij zij ze wij we jullie mij me "
        "jou hem haar hen hun ons onze mijn jouw uw deze dit die dat daar hier er wat wie welke welk wanneer waar "
        "waarom hoe hoeveel waarvoor waarmee van voor met op in aan bij uit naar om over onder door tot tegen "
        "zonder tussen als ook nog wel dan toen dus want omdat te heel veel meer andere ander daarvan daarvoor "
        "ervan graag dank bedankt"
    ),
    "sv": _words(
        "en ett den det de och eller men inte ingen inga är var vara blir blev har hade ha kan kunde ska skulle "
        "måste får gör göra jag du han hon vi ni dem mig dig honom henne oss er min mitt mina din ditt sin sitt "
        "hans hennes dess deras denna detta dessa som vad vem vilken vilket vilka när var varför hur mycket många "
        "i på av för med till från om under över utan mellan vid efter så också bara mer där här då tack finns "
        "kostar"
    ),
    "da": _words(
        "en et den det de og eller men ikke ingen er var være bliver blev har havde kan kunne skal skulle må får "
        "gør jeg du han hun vi mig dig ham hende os min mit mine din dit sin sit hans hendes dens deres denne "
        "dette disse som hvad hvem hvilken hvilket hvilke hvornår hvor hvorfor hvordan meget mange i på af for med "
        "til fra om under over uden mellem ved efter så også kun mere der her da tak findes koster"
    ),
    "pl": _words(
        "i a oraz lub albo ale nie jest są był była było były być ma mają miał może mogą mogę można trzeba ja ty "
        "on ona ono my wy oni one mnie ciebie jego jej ich nam was mi ci mu się mój moja moje twój swój ten ta to "
        "te ci tego tej tym tych który która które których co kto jaki jaka jakie kiedy gdzie dlaczego jak ile czy "
        "w we na z ze do od po za przed przez dla o u pod nad bez między że żeby jeśli też także tylko już jeszcze "
        "bardzo tam tu dzięki proszę"
    ),
    "tr": _words(
        "ve veya ama değil bir bu şu o ben sen biz siz onlar bana sana ona beni seni onu bize benim senin onun "
        "bizim var yok ne kim hangi nasıl neden niçin nerede nereye kaç mı mi mu mü için ile gibi kadar daha çok "
        "da de ki ise olan olarak eder olur peki ya acaba"
    ),
    "ru": _words(
        "и или но а не ни нет это этот эта эти тот та те он она оно они я ты мы вы мне меня тебя его её ее их ему "
        "ей им нас вас мой моя моё мои свой что кто какой какая какое какие когда где почему зачем как сколько ли "
        "в во на с со из к ко у о об от до по за для без под над при через между был была было были есть быть "
        "может можно нужно ещё еще уже тоже также только очень там тут здесь чем если то же бы"
    ),
    "uk": _words(
        "і й та або але не ні це цей ця ці той він вона воно вони я ти ми ви мені мене його її їх йому їй нам вам "
        "мій моя моє що хто який яка яке які коли де чому навіщо як скільки чи в у на з із до від по за для без "
        "під над при через між був була було були є бути може можна треба ще вже теж також тільки дуже там тут "
        "якщо"
    ),
}
