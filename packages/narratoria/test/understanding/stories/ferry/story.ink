// A dialogue: questions and answers, giving, paying and refusing, and a yes or a no.
VAR honest = false
VAR fed = false
VAR ring_given = false

The road goes down to the river and stops, as if it had forgotten what it came for. It is past midnight. On the far side one light is awake.

In the pocket of the coat is your brother's ring, which came home by post. In the other is most of a loaf.
-> bank

== bank
A jetty, a bell on a post, a notice nailed under it. The water goes by without hurrying. # scene
-> choices
= choices
+ [Ring the bell # alias: ring, ring for the ferryman, pull the bell rope, sound the bell]
  You ring. The light across the water gets up and begins to come nearer.
  -> ferryman
+ [Call across the water # alias: call, call out, shout, hail the ferryman, call the ferryman]
  You call, and the river hands your voice back with the edges worn off. But the light has heard.
  -> ferryman
* [Read the notice # alias: look at the notice, examine the notice]
  _Two coppers & a true word. Dogs free._
  -> choices
+ [Walk away # alias: leave, go away, turn back, go back, give up]
  The ring is as heavy going uphill as it was coming down. # ending: The near side
  -> END

== ferryman
The boat noses in without a sound. The ferryman is so wrapped up that he is mostly hat. A grey dog sits in the bow, facing front, like the one in charge. # scene
-> choices
= choices
+ [Ask what it costs # alias: ask the price, ask about the toll, what does it cost, how much is it, how much, what is the toll]
  "Two coppers," says the ferryman. "And one true word, over the deep part. I do not give change on either."
  -> choices
* [Ask his name # alias: ask who he is, who are you, what is your name, what are you called]
  "It was on the boat," he says. "It wore off."
  -> choices
* [Ask about the dog # alias: what is the dog called, ask the dog's name, whose dog is that]
  "Not mine," he says. "She waits for somebody. I go back and forth anyway, so she may as well."
  -> choices
* [Give the dog some bread # alias: feed the dog, give bread to the dog, give some bread to the dog, throw the dog some bread]
  ~ fed = true
  She takes it out of your hand without turning her head, the way a queen takes a coat.
  -> choices
+ [Pay the ferryman # alias: pay, pay him, pay the toll, pay two coppers, give him two coppers, give him the money, give the ferryman two coppers]
  Two coppers go into the hat. You step down; the jetty lets go of you.
  -> river
+ [Refuse to pay # alias: refuse, do not pay, i will not pay, i do not want to pay]
  "Then we are both where we were," he says, not unkindly, and does not move off.
  -> choices
+ [Walk away # alias: leave, go away, turn back, go back, give up]
  Behind you the oar goes in, once. # ending: The near side
  -> END

== river
In the middle, where the water is blackest and makes no noise at all, he ships the oar. The boat stands still, which boats do not. "Now then," says the ferryman. "Why are you crossing?" # scene
-> choices
= choices
+ [Tell him the truth # alias: tell the truth, answer truthfully, answer honestly, be honest, tell him about the ring, say you are bringing the ring back]
  ~ honest = true
  You tell him: the ring, the post, the address on the other side, and that you do not know what you will say there.
  -> offer
+ [Lie to him # alias: lie, tell a lie, tell him a lie, make something up]
  "To see the fair," you say. The river stands still a moment longer, to let you hear it. "There is no fair," says the ferryman. He takes up the oar all the same.
  -> far_bank
+ [Say nothing # alias: be silent, keep quiet, stay silent, keep silent, do not answer, shrug]
  You say nothing, and it takes a long time. "Well," says the ferryman at last, "that's true too," and takes up the oar.
  -> far_bank
* [Ask why he wants to know # alias: ask why, why do you want to know, why do you ask, what is it to you]
  "The boat wants to," he says. "I just row."
  -> choices
* [Look into the water # alias: look at the water, look over the side, look down]
  Stars, and under them a few coppers, and under those a face that takes a moment too long to be yours.
  -> choices

== offer
"He sat there," says the ferryman. "Where you are. Last year, at the thaw. I asked him what I asked you." He looks at the dog. "Do you want to hear what he said?" # scene
-> choices
= choices
+ [Hear it # alias: yes, listen, tell me, i want to know, i want to hear it, say yes]
  "He said he was crossing so that somebody would have to come after him. I took him for a joker." And he takes up the oar.
  -> far_bank
+ [Leave it unsaid # alias: no, do not tell me, i do not want to know, i do not want to hear it, say no]
  "No," you say. "Good," says the ferryman. "I have been saving it for someone who would not ask." And he takes up the oar.
  -> far_bank

== far_bank
The boat touches sand. A path goes up to the lit window; somebody has put a second light beside the first. # scene
-> choices
= choices
+ { not ring_given } [Give him the ring # alias: give the ferryman the ring, give the ring to the ferryman, hand him the ring, hand over the ring]
  ~ ring_given = true
  He weighs it. "Too much," he says, "and I do not give change." But he hangs it on the bow, under the dog's chin, where a name used to be.
  -> choices
+ { not ring_given } [Throw the ring into the river # alias: throw the ring away, throw the ring in the water, drop the ring in the river]
  ~ ring_given = true
  It does not splash. After a while, a long way down, you hear it land among the coppers.
  -> choices
* [Thank the ferryman # alias: thank him, thanks, thank you, say thank you]
  "It is two coppers' worth," he says. He sounds pleased.
  -> choices
+ [Step ashore # alias: go ashore, get out, get out of the boat, leave the boat, go to the window]
  { fed: The dog gets up, considers the sand, and comes with you. }
  { honest: You have already said it once tonight. It will be easier the second time. | You go up the path, practising the first word. } # ending: The far side
  -> END
