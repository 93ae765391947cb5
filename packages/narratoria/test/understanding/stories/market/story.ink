// A market at dusk: things that are nearly alike, goods to sell, and a dagger that used to hang over the mantel.
VAR pence = 9
VAR price = 12
VAR has_dagger = false
VAR has_lamp = false
VAR fed_boy = false

Market shuts at the bell, and the bell-ringer has already gone up the tower for his coat.

You have nine pence and a handcart with a crock of honey and a sack of wool on it. Your sister's list has three lines. The first two are crossed out. The third says: _Anything of Father's._ He sold whatever shone, the year the seed failed, and never said to whom.
-> square

== square
The square smells of wet straw. To the left the ironmonger's stall glints; to the right the weaver is folding things up; and by the pump a widow stirs a soup kettle. On a barrel a crier shouts the news at people who have heard it. # scene
-> choices
= choices
+ [Go to the ironmonger's stall # alias: go to the ironmonger, visit the ironmonger, ironmonger, go to mag, go left]
  -> ironmonger
+ [Go to the weaver's stall # alias: go to the weaver, visit the weaver, weaver, go to odo, go right]
  -> weaver
+ [Go to the soup kettle # alias: go to the soup, soup kettle, kettle, go to the widow, go to the pump]
  -> soup
* [Listen to the crier # alias: listen, hear the crier, hear the news, listen to the news]
  "Lost," cries the crier, "one goose, answers to Bishop. Found: one goose." He lowers his voice for the next item, as one does for the dead, and says your father's name, and the day.
  -> choices
+ [Pull the cart home # alias: go home, home, leave the market, leave]
  -> home

== ironmonger
Mag has laid a red cloth over two trestles. On it lie a brass lamp, a brass key as long as your hand, and, among the spoons, a silver dagger that used to hang over your mantel. # scene
-> choices
= choices
+ [Look at the silver dagger # alias: examine the dagger, inspect the dagger, look at the dagger]
  The third notch on the hilt is yours. You were six, and wanted to see whether silver was hard.
  -> choices
+ { not has_dagger } [Buy the silver dagger # alias: buy the dagger, pay for the dagger]
  { pence >= price:
    ~ pence = pence - price
    ~ has_dagger = true
    Mag counts the money twice and the dagger not at all. She wraps it in the red cloth, which leaves the table looking undressed.
  - else:
    "{price} pence," says Mag, and waits while you do not have it.
  }
  -> choices
+ { not has_lamp } [Buy the brass lamp # alias: buy the lamp, pay for the lamp]
  { pence >= 5:
    ~ pence = pence - 5
    ~ has_lamp = true
    Five pence. It goes on the cart, where it looks as if it had always been going home with somebody.
  - else:
    "Five," says Mag. You look in your purse, though you know.
  }
  -> choices
* { pence >= 2 } [Buy the brass key # alias: buy the key, pay for the key]
  ~ pence = pence - 2
  "It opens nothing I ever found," says Mag, and takes two pence for it all the same.
  -> choices
* [Ask Mag about the dagger # alias: ask about the dagger, ask where she got the dagger, where did you get the dagger, who sold you the dagger]
  "A man with a limp, a wet spring," says Mag. "He asked me not to sell it. I said that is what I do. He said then not quickly."
  -> choices
* [Haggle over the dagger # alias: haggle, bargain, bargain for the dagger, offer less for the dagger, beat her down]
  ~ price = 10
  You tell her about the third notch. Mag finds it with her thumbnail, and is quiet. "Ten," she says.
  -> choices
+ [Go back to the square # alias: go back, back, square, leave the stall, return to the square]
  -> square

== weaver
Odo folds a grey blanket against his chin. A red scarf hangs from the awning like something being surrendered. He looks past you at your cart: at the honey, at the wool, and at the honey again. # scene
-> choices
= choices
* [Sell the honey # alias: sell the crock of honey, sell him the honey, offer him the honey]
  ~ pence = pence + 4
  He tastes it with his eyes shut. "Four," he says, before they are open.
  -> choices
* [Sell the wool # alias: sell the sack of wool, sell him the wool, offer him the wool]
  ~ pence = pence + 3
  He puts his arm in to the elbow, looking for stones. He finds one, gives it back to you, and pays three pence.
  -> choices
* { pence >= 2 } [Buy the red scarf # alias: buy the scarf, pay for the scarf]
  ~ pence = pence - 2
  Your sister will say that red is for fools. Then she will wear it.
  -> choices
* { pence >= 4 } [Buy the grey blanket # alias: buy the blanket, pay for the blanket]
  ~ pence = pence - 4
  It still has the warmth of Odo's chin in it.
  -> choices
* [Ask Odo about your father # alias: ask about father, ask about my father, did you know my father, did he trade here]
  "He'd bring wool," says Odo. "And stand there, where you stand, and look across at Mag's. I thought it was Mag."
  -> choices
+ [Go back to the square # alias: go back, back, square, leave the stall, return to the square]
  -> square

== soup
The kettle is nearly down to the bones. The widow scrapes; a boy with a ladle too big for him watches every face for a customer. # scene
-> choices
= choices
* { pence >= 1 } [Buy a bowl of soup # alias: buy soup, buy some soup, have some soup, eat soup]
  ~ pence = pence - 1
  Barley, mostly, and a rumour of mutton. You had not known how cold you were.
  -> choices
* { pence >= 1 } [Give the boy a penny # alias: give a penny to the boy, tip the boy]
  ~ pence = pence - 1
  ~ fed_boy = true
  He bites it, as he has seen men do. Then he looks at your cart. "I'll push that to the hill for you," he says, "when the bell goes."
  -> choices
* [Ask the widow about your father # alias: ask about father, ask about my father, did you know my father]
  "Two bowls, Thursdays," she says. "One he ate and one he let go cold, in case of your mother."
  -> choices
+ [Go back to the square # alias: go back, back, square, leave the kettle, return to the square]
  -> square

== home
The bell goes before you reach the gate. { fed_boy: The boy puts his shoulder to the cart and talks about geese the whole way up. }
{ has_dagger:
  Your sister unwraps it on the table. She finds the notch without looking, and says that it was hers. # ending: The third notch
- else:
  { has_lamp: You light the brass lamp and set it where the dagger hung. It shows you the nail. | Over the mantel there is a nail, and you both look at it. } # ending: A nail
}
-> END
