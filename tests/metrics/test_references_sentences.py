"""Sentences that stand on their own and sentences that do not; all written for this test, with invented names."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import find_mentions

STANDALONE = """\
My pump stalls, it shows CODE 7. What can I do?
My printer jams, it flashes red.
There are so many I never tried. Are they all from Bergen?
What is the process for renewing a hunting licence, and how long does it take?
Can you provide more information about the tax deduction and who can claim it?
What are the benefits of solar panels and do they increase the value of a house?
How do I install the Siro router and connect it to the internet?
What is the difference between a stock and a bond, and which one is safer?
Explain what a mutual fund is and how it differs from an index fund.
If I sell my house before it is paid off, do I owe taxes on it?
Why do cats purr when they are happy?
How do bees make honey and why do they need it?
When a company goes bankrupt, what happens to its shareholders?
Is it necessary to tell my bank that I am going abroad?
How does the city council spend its budget?
What should a tenant do if their landlord refuses to fix the heating?
Can a parent open an account for their child?
How do I delete my account once it has been suspended?
What does it take to become a nurse in Norway?
Which countries have changed their flags since 1990?
Does the Opal phone come with a charger or do I have to buy it separately?
How do I know if my tyres are worn and need to be replaced, and where can I get them checked?
Who discovered penicillin and how did he do it?
Is Mara Lind still married to her first husband?
What did Ole Vik say about his brother's arrest?
After the flood, did the town rebuild its library?
Does an employer have to pay its employees for overtime?
What makes it hard to learn Finnish?
I find it difficult to sleep at night. What are good bedtime routines?
It is raining a lot this month in Bergen, is that normal?
My landlord says that I must leave by June. Is that legal?
What is the beep that sounds when I open the lid?
Tell me about the history of chess and its most famous players.
What are the names of the two lakes in Lunde Park and how deep are they?
Do the lakes in Lunde Park freeze in winter and can I skate on them?
What is a wood stove, how does it work and what does it cost?
Where is the Mill Road clinic and how do I get there?
I am visiting Oslo next week. What is there to do there with children?
How many people live in Bergen and what language do they speak?
Did Mara Lind and Ole Vik release their second album in 2003?
Should I put my money in bonds or keep it in the bank?
Did the Kinks ever play their hits on television?
That's good to know. What is the deadline for the tax return?
They sound delicious. How do I bake rye rolls?
I loved it. What other books did Mara Lind write?
It looks great. Where can I buy the Dorin K2?
I don't like those. Which hotels in Tornby have a pool?
Thanks, that helps. What does the Vesta gateway cost?
What is it like to live in Norway?
What is it about cats that people love?
Why is it that the moon looks larger near the horizon?
How is it possible that water exists on Mars?
When was it that the wall fell?
Is it true that the council raised the fees?
Is it worth buying the extended warranty?
Who was it that invented the telephone?
How far is it from Oslo to Bergen?
How far is it to the nearest petrol station?
How cold does it get in Oslo in January?
How much does it cost to rent a van?
Does it cost anything to cancel the Amber plan?
Does it snow in Bergen?
What time does it get dark in July?
How come it takes so long to get a passport?
Is it OK if I bring my dog to the Mill Road clinic?
Does it matter whether I use butter or oil in rye rolls?
What happens if it rains on the day of the parade?
Can I make it to the airport in an hour?
What do people think of the new tram line, and will it be extended?
Do vaccinated people still need to wear masks when they fly?
How can parents keep their kids safe online?
Do authors own the rights to their books after they sell them?
What is the penalty for someone who does not file their taxes?
The Quill scooter is in my hall, how fast does it go?
Is there a limit on the number of devices and can it be raised?
Explain the theory of plate tectonics and who first proposed it.
What are common symptoms of flu and how can they be treated at home?
Why was the bridge closed and when will it open again?
I have a cough that won't go away. Should I see a doctor about it?
My dog eats grass. Is that bad for him?
My daughter is allergic to nuts. What can she eat at the fair?
My father lost his passport in Rome. What should he do?
The singer lost her voice during the tour, how did the label react?
Every student must bring their own laptop, right?
Nobody knows what they will do. Is the Wendel council going to vote?
Does anyone know if they have to register?
What is the role of the treasurer and how is he or she elected?
What did the president do when he took office in 1990?
Was the film a success when it came out in Norway?
How did the bank justify raising its fees?
Is a dog allowed on the bus if it wears a muzzle?
How do I fix a zip that has come off its track?
Which one of the two plans includes roaming?
Do I need one visa or two to visit Norway and Finland?
How many times can one renew a parking permit?
What are the pros and cons of electric cars compared to petrol ones?
Is a red car more expensive to insure than a blue one?
Are those who work part time entitled to sick pay?
What does the acronym IT stand for?
Who runs the IT department?
I have two cats, Kira and Bo. Which of them is older?
Can I use the SDK with Python, and if so, how do I install it?
What is the best way to store tomatoes so that they stay fresh?
Given that the court has ruled, can the company appeal its decision?
Is there a way to make sure that the file is saved before it is closed?
What is the price of the Vesta gateway when it is bought in bulk?
The error appears when I restart the server. How can I prevent it?
What does this mean: "segmentation fault"?
How do I say "where is it" in Spanish?
What is the meaning of the song "Let Her Row"?
Is it the moon that causes tides?
What does a notary do and how much do they charge?
Can my employer read my emails without telling me about it?
What was the population of Bergen in 1900 and how much has it grown since then?
In that case, what does the Amber plan cost?
How do animals in the Arctic keep themselves warm?
Is my landlord allowed to keep the deposit if he sells the flat?
Who is responsible for the bridge and its maintenance?
What were the causes of the strike, and who led it?
Show me all invoices from 2024 and sort them by date.
List the employees whose contracts end this year and their managers.
Take the report from May and translate it into French.
Find the longest river in Europe and tell me how long it is.
I bought a bike last week and the chain keeps slipping off it. What can I do?
Please compare the Sona 5 with the Tarn Z in terms of its battery.
I heard that olive oil is good for the heart. Is it true that it lowers cholesterol?
I am thinking of moving to Bergen. What are the schools like there?
Okay, so what are the main differences between goldfish and koi, and which ones are easier to keep?
I see. What does the Wendel council do with its surplus?
No, I meant the Brant valve, not the pump. How long does it last?
My grandmother had a stroke last year. What can she do to recover?
Why did the Roman Empire split into two halves and what became of them?
How was the pyramid built and who paid for it?
What is the plot of the novel and who are its main characters?
I want to buy a used car. What should I check before I pay for it?
What does the term inflation mean and how is it measured?
Where did the potato originate and how did it reach Europe?
Are whales mammals and do they sleep?
Can you tell me how volcanoes form and why they erupt?
Why do leaves change their colour in autumn?
Who invented the zipper and when was it patented?
What vitamins are in kale and how do they help the body?
I have been told that coffee is bad for you, but my doctor drinks it every day. Who is right?
How does a wood stove work when it is freezing outside?
Is it better to buy or to lease a car?
How does the Vesta gateway compare with the Siro router in terms of speed, and which of the two is quieter?
What is the impact of tourism on the islands and their wildlife?
What happens to a body when it is deprived of sleep?
How do I stop my dog from chewing its bed?
Does a landlord have to give notice before he enters the flat?
Who won the league last season and how many points did they have?
What is the population of Norway and how does it compare with that of Sweden?
What should I do if my card is stolen while I am abroad and I can't block it?
What do critics say about the film, and did the director respond to them?
Did the Tornby museum get its paintings back?
I would like to know about rust. What causes it and can it be prevented?
Why is the sky blue and why does it turn red in the evening?
What was the Marshall Plan, who proposed it, and what was its purpose?
Tell me about the Amber plan and its benefits.
When was Mara Lind born and where did she grow up?
Is a tomato a fruit because it has seeds?
Which airlines let passengers change their tickets for free?
How much sugar is in a banana and is that a lot?
What is a credit score and how can I improve mine?
What are good substitutes for eggs for someone who is allergic to them?
How do I get a stain out of a shirt without damaging it?
What can I do about a neighbour who plays his drums at night?
Are there any parents who regret having their children vaccinated?
How do you know whether a melon is ripe before you cut it?
Can plants feel pain when they are cut?
Can I return a jacket if I have already worn it?
Why are flamingos pink and what do they eat?
How do people in Iceland heat their homes?
What did the court say in its ruling on the Wendel case?
How long should I boil an egg if I want it soft?
How long does it usually take before a visa is granted?
Does it make sense to insure an old car?
Is it common for cats to sleep all day?
How is it that birds can sit on power lines?
What would happen if it rained for a year?
Before he became a painter, what did Ole Vik do?
Despite its small size, is the Dorin K2 safe?
Aside from their music, what are the Tornby Brothers known for?
What else did Mara Lind do besides writing her novels?
What did Mara Lind do after she left the band?
Did Mara Lind's parents support her?
How did Mara Lind's brother help her with the album?
What did the fans of Mara Lind think of her new song?
Why did the Brant company sue its former director?
Who replaced Ole Vik when he left the Kinks?
What role did Ole Vik play in the film and did he win an award for it?
Did the album "Salt Road" sell well and was it reissued?
Why did the label drop the Tornby Brothers and what did they do next?
What makes the Dorin K2 different from its competitors?
Were the Odal people forced from their land?
How did the Odal tribe get its name?
Did Ole Vik marry the woman who raised him?
Did Ole Vik have trouble with his voice during his last tour?
What did Ole Vik mean when he said "it was worth it"?
In what year did Ole Vik and his wife move to Spain?
How did Ole Vik's fans react when his album leaked?
Is Ole Vik the son of a singer, and did that help his career?
What other songs did Mara Lind write that were hits?
Was there anything that Mara Lind regretted about that tour of Japan in 1999?
What was the reason that Mara Lind gave for leaving?
How many of the songs that Ole Vik wrote were hits?
Which of these is a mammal: whale, shark or tuna?
Is there a difference between the two, tea and coffee, in how they affect sleep?
What are the side effects of Movatrin and how long do they last?
If a tenant breaks the lease, can the landlord sue them?
What does it mean for a contract to be void?
What does it feel like to be weightless?
Who is it that decides the budget?
Explain it like I am five: what is a black hole?
What time is it in Tokyo?
What year is it in the Ethiopian calendar?
How hot does it get in Seville?
How likely is it that the strike will go on?
How easy is it to learn Norwegian?
How important is it to warm up before a race?
How expensive is it to live in Oslo?
How common is it for twins to be born apart?
Why is it so expensive to fly to Iceland?
Why is it called the Cold War?
Isn't it dangerous to swim in the fjord?
Wouldn't it be cheaper to take the bus?
It seems that the Alder plan has no limit. Is there one?
Turns out it is cheaper to fly. Which airline goes to Tornby?
Can I make it from Oslo to Bergen in a day?
What is the name of the dish that looks like a pancake but isn't one?
I already have a router. Do I need another one?
I use Python 2. Is there a newer one?
Which is the bigger one, Jupiter or Saturn?
Are there any apps for learning Greek, and what do the best ones cost?
Is one gigabyte enough for one month?
What is one thing that everyone should know about taxes?
One of my tyres is flat. How do I change it?
What is the one ingredient that all curries share?
No one answered my call. What number should I try?
How does one become a judge?
At what age can one retire?
This year I want to grow tomatoes. When should I plant them?
These days many people work from home. What does that do to cities?
What is this song by Mara Lind about?
Does this mean that the Alder plan ends in May?
I read this morning that the bridge is closed. Is that right?
How long has Tornby had that old tower of its own?
People say that bread makes you fat. Is there any proof of that?
Do those with a season ticket get in free?
Are those who rent allowed to vote?
Such a trip must be expensive. What does a cruise to Svalbard cost?
What are the laws that apply to drones and who made them?
Is it the case that all swans are white?
That is all. Thanks for the help with the Vesta gateway!
Is there any truth to the idea that cold weather makes people ill?
The fact that the bridge is closed worries me. When will it reopen?
What is known about the theory that dinosaurs were warm-blooded?
I think that that is what the law says. What does the Wendel act say?
So that the cake rises, what should I add?
Now that the war is over, who governs Odal?
What was it about the Tarn Z that reviewers disliked?
What are the three most visited cities in Norway and why do people like them?
How do I teach my child to tie his or her shoes?
If somebody steals my bike, will the insurance replace it?
What do I do when the washing machine leaks? It is a Norr W1.
My boss said he would pay me on Friday. What if he doesn't?
What are the steps to configure single sign-on and what permissions does it require?
Do I need to restart the server after I change its configuration file?
How do I remove a user from the workspace so that they can no longer log in?
Can I create a backup of the volume before I delete it?
What is the maximum size of a file that can be uploaded and how can I increase it?
Does the Alder service encrypt data while it is being transferred?
What happens to my data if the Alder service goes down and how can I recover it?
Why do I get an error when I run the migration script and how do I fix it?
How does Alder Storage differ from Alder Archive when it comes to price?
Which regions does Alder support and are they all available to free accounts?
How do I connect my dialog skill to an assistant and test it?
If I switch from the lite plan to the standard plan, will it affect my existing bots?
What is the API key used for and where can I find it?
What kinds of triggers are there and what is each of them used for?
If the bank makes an error in my favour, do I have to give it back?
When I sell a share at a loss, can I buy it again within 30 days?
Why would a company buy back its own shares?
What does a company gain by paying its suppliers early?
Why do people invest in gold when it pays no interest?
How do banks make money from customers who pay off their cards in full?
Is it smart to take money out of a pension fund to pay off a loan?
Is it legal to record a call without telling the other person?
If someone steals my cheque and cashes it, who is liable?
Can an employer force its staff to take leave?
Should my wife and I file our taxes jointly if she earns less than I do?
My mother wants to give me her house. How can she do it without paying tax?
My brother owes me money and he won't pay. Can I sue him?
Why do stock prices fall when the central bank raises its rate?
How is the price of a bond affected by its maturity?
What are index funds, and how do they compare to actively managed funds?
I am self-employed and my client has not paid. How long does he have?
How do I register a car that I bought abroad and how long does it take to get plates?
How do I prove that I live in Lunde if I have no lease?
What is jury duty and can I be excused from it?
What forms do I need for a divorce and where do I file them?
When does the park open, and does it allow dogs?
How can residents protect their homes against wildfires?
What is the state doing to help farmers who lost their crops in the drought?
How does NASA communicate with its rovers?
How do astronauts train before they go to space?
Why does Saturn have rings and what are they made of?
What would happen to Earth if the Moon left its orbit?
Who walked on the Moon first and what did he say?
How did the Kingdom of Odal form, and who was its first king?
Why did the settlers leave England and where did they land?
When did the Vikings reach Iceland and why did they stay?
What inspired Greta Somme to paint, and who taught her?
Who wrote the song "Salt Road" and what is it about?
What is the moral of the story of the boy who cried wolf and how did he learn it?
Has Nuno Reis ever been married and does he have children?
How many seasons of the show were made before it was cancelled?
Is "Salt Road" the only album that the band released under its own name?
Which actor played Captain Orr and what else has he been in?
Are badgers rodents or are they something else?
What do badgers eat and where do they sleep?
How do badgers protect themselves from foxes when they are attacked?
What are the main religions of India and how many followers do they have?
Does caffeine stay in the body for long after you drink it?
Why does bread go stale and how can you keep it fresh?
What's the difference between a cold and the flu, and how do I know which one I have?
I was diagnosed with mild asthma. Is it curable?
I read about the grape diet. Is it still recommended?
I've heard of people who fast for a week. Is it safe to do that?
I have never been to Tornby. What can I see there in winter?
I like jazz. Are there festivals for it in Norway?
I'm looking at the Dorin K2 and the Pela 2. Which of the two has the better range?
My friend says that the Pela 2 is better. Is she right?
I want to learn the cello. How hard is it?
Tell me about oak and ash floors. Which ones last longer?
You said that the Bergen line is closed. When does it open again?
You mentioned Ole Vik. What was his first job?
Some people say that the statue is cursed. Why do they think so?
Many towns have banned plastic bags. How did they do it?
In the film "Salt Road", who plays the mayor and why does he resign?
Speaking of tax, when is it due?
As for the Alder plan, what does it include?
Regarding the Brant valve: does it need oil?
On the subject of whales, how long do they live?
OK, but what about the cost of living in Oslo compared with that in Bergen?
Wow! Did the Tornby Brothers really write all their own songs?
Got it. What is the name of the lake near Bergen?
Great, thanks! How do I reach the Mill Road clinic by bus?
Hmm, I don't get it. What is a wood stove?
Never mind. What time is it in Lima?
Right, and how does the Vesta gateway store its logs?
So does that mean that I can't return the coat?
Is that to say that the Wendel council is bankrupt?
That said, does the Dorin K2 have a spare tyre?
Can you give me an example of a metaphor and explain it?
Give me a list of Norwegian painters and their best known works.
Summarize the plot of "Salt Road" and say who wrote it.
Find me a recipe for rye bread that uses no yeast and takes less than an hour, and print it.
Compare the two largest cities in Norway by their population.
Describe the life cycle of a frog and how it breathes at each stage.
List the symptoms of measles and say how soon they appear.
Is the church that burned down in Lunde being rebuilt, and who pays for it?
Was the man who shot the president caught, and was he tried?
Did the woman who found the ring keep it?
Do dogs that bite have to be put down or can they be trained?
Is the lake from which Bergen gets its water clean?
Is anyone who signs the form bound by it?
Whose fault is it if a tree falls on a car?
Whose responsibility is it to clear the snow?
Which team won and by how much did they win?
Which actor left the show because he was ill?
Which company fired its director in 2019?
What kind of bird builds its nest on water?
What country changed its name in 2019?
What happens when a star runs out of fuel and what does it become?
What has four legs in the morning, two at noon and three in the evening, and who solved it?
Why did nobody tell the king that he had no clothes?
Each plan has its own limits. Which plan has the highest one?
Every child gets a book on their birthday, who pays?
The more you practise, the easier it gets. How often should I practise the cello?
Both parties must sign the contract before it is valid. What if one refuses?
Neither Ole Vik nor his brother spoke. Why?
The ferry was late because its engine failed. How often does that happen?
The council closed the bridge. It did so in May. Who decided that?
Has there ever been a woman on the Wendel council and who was she?
Were there any survivors and where were they taken?
What would there be to see in Odal?
There was a fire in Lunde. Was anyone hurt in it?
There are two plans, Amber and Alder. What do they cost?
There's a new tram in Bergen. Where does it go?
I don't like that. What vegan dishes are served in Bergen?
Hmm, that sounds dangerous. Are there safer ways to climb Mount Orr?
Ok, I'll look into that. What does the Alder plan cost?
I think that's a bit too expensive for me. Which phones cost under 300?
That one sounds good. How do I book the Night Sailing course?
I already knew that. What else is special about the Odal tribe?
I didn't know that! Who else painted in Solvik in 1962?
Oh, I didn't expect that. Why did the Heron cluster fail?
That is not what I meant. I want to know about the Brant valve.
That was helpful, thank you. What is the phone number of the clinic?
That makes sense. How do bees find flowers?
This is great. Which other museums are in Tornby?
This is very helpful. What is the dose of Movatrin for adults?
These are great. Which cafes in Tornby open early?
Those are good ideas. What do vegan cakes cost in Tornby?
They're lovely. How do I grow roses?
It's fascinating. What did the Vikings eat?
It was a great film. Who directed Salt Road?
It looks like rain. Where can I rent an umbrella in Bergen?
He seems nice. What films has Nuno Reis made?
I love her. What is Mara Lind's best song?
I've seen it. Who wrote the music for Salt Road?
I've tried them all. Which trails near Lunde are new?
I have heard about that one before. What is the Amber plan good for?
I'd rather not do that. Is there another way to renew a passport?
I'm not sure about that. Does Alder really store data in Norway?
I agree with that. Why then do people still smoke?
I'm interested in those. Which cello teachers are in Bergen?
Thanks for that. Where is the Norr factory?
Thank you for this information. When does the Mill Road clinic close?
Sorry to hear that. What caused the fire in Lunde?
Good to know. Does the Dorin K2 need oil?
Nice to hear that. Who runs the Lunde shelter?
No, not that. What is the population of Odal?
No, that's wrong. What is the population of Odal?
Yes, that is it. How do I open the valve of the Norr W1?
Sure, I can do that. Where is the form for the hunting licence?
Interesting! I never thought about it. How do cranes get on top of buildings?
Let's forget it. What is on at the Tornby cinema?
Let me think about it. Meanwhile, what is the price of the Pela 2?
I was wondering about that too. How do magnets work?
I'm sure it is. What is the safest car for a family?
It depends. How many calories does a runner need?
That reminds me, what is the name of the lake near Lunde?
Speaking of which, how old is Mara Lind?
If that's the case, how do I cancel the Amber plan?
So that's how bees make honey. How do wasps build nests?
""".splitlines()

DEPENDENT = """\
what did he do with it?
how old is she
where can I buy them
What was the name of their first album?
What is the capital of it?
Can I use it with Python?
how does it work
is it free to use?
is it easy to clean?
Is it possible?
is it true?
How long does it take?
What does it cost?
Did it rain there?
Which albums did they release?
How many races did they win?
What songs are on their second album?
What were the songs they wrote?
Who produced their first record?
who wrote that album
what about that one
the second one, please
is number two cheaper on weekdays?
write that in French please
how do I undo that?
Can I swim there, and is it free?
what happened after that
Why did they move there?
Are those in stock?
drop the ones without a date
list the ones from May
which one is cheaper
the cheaper one
What about ropes?
And the colour?
and on public holidays?
and two new pillows?
How about ropes?
Do I need one?
That's interesting. How do I apply for it?
What did critics in France say about it?
Did Mara Lind record it in Oslo?
Did Ole Vik like him?
How did people react to his speech?
What happened when it was released?
the latter
what is the former made of?
what else did the middle singer record?
Any more details about this parade?
Back to the tram: when does that line open?
who approves it?
And who in IT repairs them?
could I do it by post instead?
who painted it?
that must be wrong, they are both closed
how high is it in my country?
How well did the tour do and did she enjoy it?
Is the tower next to it older?
Did the critics like it?
why is that?
Is this a full time program?
does that include breakfast?
Are they expensive?
Did these changes help the company?
How did that affect his career?
who are its competitors
When was that?
what are those for
Does this work on Android?
how much is it
what is it made of and who makes it
is it waterproof
does it come in red
can you compare it with the pela 2
what do people say about it
why is it so expensive
is it expensive
is it safe
is it safe for kids
is it legal
was it expensive to build
how hard is it
how long is it
how far is it
how deep is it and can i swim in it
how old was it when it closed
where can i get it fixed
who built it and when
when was it built
tell me more about it
what are the side effects of it
what else can you tell me about them
how do i take care of them
what do they eat
where do they live
are they dangerous to people
why do they bark at night
how many of them are left
what did their parents do
did their parents approve
what was his first job
who was his wife
was his wife also a singer
did his band tour in norway
what did his critics say
how did his father die
when did he die
why did he leave the band
did he ever win a grammy
how did she meet ole
what made her famous
who taught her to sing
did she have children with ole vik
what happened to her voice
how was her second album received
what were her most famous songs
which of her songs was a hit in japan
did critics like her work
what other films did she star in
how did that make her feel
what does that mean
what does this mean for my taxes
why is that a problem
how is that different from a loan
is that legal in norway
is this normal
does this apply to students
where does that come from
who said that
what about this one
are these safe for cats
do those need a licence
which of these is the cheapest
how do these compare
how did this affect the company
what caused this
when did this happen
what was the result of this
did this lead to a war
what happened during this period
what was the impact of that decision
who won that match
who played in that film
what is in that box
what are the ingredients of this dish
how do i cook this dish
can you summarise that article for me
can you summarise this report
what does that paragraph mean
tell me about the other one
the first one sounds good, how much is it
what is the difference between the two of them
i like the second one
what time does it open
when does it open on sundays
does it take credit cards
does it rain there in summer
is it crowded there
how do i get there by bus
how many people live there
what is the weather like there in may
are there good schools there
is there parking there
what language do they speak there
do they have a pool
do they deliver
are they open on sunday
did they find the killer
how did they find out
why did they split up
what was their biggest hit
when did they form and who were the members of it
can i pay for it in cash
should i be worried about it
i want to cancel it
please cancel it and send me the refund
ok do it
translate it to german
make it shorter
put that in a table
and what did he do next
but why did she leave him
so who owns it now
and how about his brother
and in winter?
and for children?
and yours?
what about her sister
how about tomorrow?
what's the latter's price
is the former still sold
option b please
number 3
the last one
the cheapest
the blue one
no, the other one
it doesn't work
it still fails with the same error
they never answered
he was never there
that one is sold out
i meant the one in bergen
not that one
those are too small
these don't fit
there is a mistake in it
is there a manual for it
are there any reviews of it
what kind of engine does it have
what colour is it
what year was it made
what company makes it
which company bought it
who is the author of it
how is it spelled
how do you pronounce it
what is its capital
what is its population
what's its main export
who leads it
who is its president
when did it become independent
why was it abolished
is it true that he drank
is it true she left him
was it his first film
was it a success
was it successful
did it win any awards
did it sell well
how did it do in the charts
how many copies did it sell
what was it about
what's it about
what's it called
what's wrong with it
what's so special about it
""".splitlines()


@pytest.mark.parametrize("sentence", STANDALONE)
def test_standalone(sentence: str) -> None:  # REF-09
    assert find_mentions(sentence) == []


@pytest.mark.parametrize("sentence", DEPENDENT)
def test_dependent(sentence: str) -> None:  # REF-02
    assert find_mentions(sentence)
