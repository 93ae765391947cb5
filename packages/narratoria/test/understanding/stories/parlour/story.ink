// A mystery in three rooms with many things in them: what is examined, opened, read, asked, and who is named at the end.
VAR seen_clock = false
VAR has_key = false
VAR knows_lonely = false

You are Ida Marsh, and you mend clocks. The constable has a cold, and you have a loupe, so they have sent for you.

"It is the christening spoon," says Miss Pell from her armchair. "It was there at breakfast. I am not accusing anybody." She looks, as she says it, like somebody hoping to be asked to tea in her own house.
-> parlour

== parlour
The parlour. A tall clock stopped at ten past four; a letter on the mantelpiece; a tea table laid for two, with a pot under a knitted cosy. Miss Pell sits very straight. One door leads to the kitchen, one to the study. # scene
-> choices
= choices
+ [Examine the clock # alias: look at the clock, inspect the clock, study the clock]
  ~ seen_clock = true
  It has not run down. Somebody has stopped it, with a hand, and left a thumbprint in marmalade on the glass. The case is not quite shut.
  -> choices
* { seen_clock } [Open the clock case # alias: open the case, open the clock, look inside the clock, look in the clock]
  The spoon is hanging from the pendulum by a bit of blue wool. It is a very careful knot.
  ~ knows_lonely = true
  -> choices
* [Look under the tea cosy # alias: lift the cosy, lift the tea cosy, take off the tea cosy, remove the cosy]
  The pot is hot. It has been filled for more than one, and more than once.
  -> choices
* [Read the letter # alias: look at the letter, examine the letter, read the letter on the mantelpiece]
  "_Dear Aunt, I am so sorry, not this Sunday either. Yours in haste, L._" It has been folded and unfolded until it is nearly four letters.
  -> choices
+ [Question Miss Pell # alias: question the old lady, talk to miss pell, speak to miss pell, ask miss pell about the spoon]
  "I don't like to make a fuss," she says. "Though I suppose one must, if one wants anybody to come."
  -> choices
+ [Go to the kitchen # alias: kitchen, enter the kitchen]
  -> kitchen
+ [Go to the study # alias: study, enter the study]
  -> study
+ [Name the thief # alias: make an accusation, accuse somebody, accuse someone, solve the case]
  -> accuse

== kitchen
The kitchen is warm and cross. Nan, the cook, is punishing dough. There is a dresser with a drawer of spoons, a flour bin, a shut window over the sink, and a jar of marmalade with the lid off. # scene
-> choices
= choices
* [Count the spoons # alias: count the silver, open the drawer, look in the drawer]
  Eleven teaspoons, one butter spoon, one hole in the velvet the shape of what is missing.
  -> choices
* [Look in the flour bin # alias: open the flour bin, search the flour bin, search the flour]
  ~ has_key = true
  At the bottom, in a twist of paper, a little iron key. Nan goes as white as the flour. "That's for his desk," she says. "She has me hide it, so he'll have to ask."
  -> choices
* [Question Nan # alias: question the cook, talk to nan, speak to nan, ask nan about the spoon]
  "Nobody takes anything in this house," says Nan. "Nobody takes so much as a biscuit. That's the trouble with it."
  -> choices
* [Taste the marmalade # alias: try the marmalade, eat some marmalade]
  Bitter, and very good. You have some on your thumb now, and look at it.
  -> choices
+ [Open the window # alias: open the kitchen window, let in some air]
  The sash goes up. You can hear, from three gardens, three families having their tea.
  -> choices
+ [Go back to the parlour # alias: go back, back, parlour, return to the parlour, leave the kitchen]
  -> parlour

== study
The study belongs to the nephew, Mr Lisle, who is in it only on the wall: a photograph of a boy with a kite. A desk, locked; a blotter; a mirror; a thin rug. # scene
-> choices
= choices
* [Hold the blotter to the mirror # alias: read the blotter, read the blotter in the mirror, hold up the blotter, use the mirror]
  "_...not this Sunday either..._" Four times, four dates. He did not even change the words.
  -> choices
* [Turn over the photograph # alias: turn the photograph over, look behind the photograph, look at the back of the photograph]
  "_Lisle, seven. Stayed till dark!_"
  -> choices
* { has_key } [Unlock the desk # alias: open the desk, use the key, use the iron key, unlock the desk with the key]
  ~ knows_lonely = true
  Birthday cards, unposted, one for every year: to him, from her. And a ball of blue wool.
  -> choices
+ { not has_key } [Try the desk # alias: open the desk, unlock the desk, force the desk]
  Locked. You could have it open in a minute with your screwdriver, and you decide not to be that sort of guest.
  -> choices
* [Lift the rug # alias: look under the rug, move the rug, roll up the rug]
  Floor.
  -> choices
+ [Go back to the parlour # alias: go back, back, parlour, return to the parlour, leave the study]
  -> parlour

== accuse
Miss Pell folds her hands. Nan has come to the door with flour to her elbows. "Well?" says Miss Pell. "Who was it?" # scene
-> choices
= choices
+ [Accuse Nan # alias: nan, it was nan, nan did it, say it was nan]
  Nan takes off her apron, folds it, and goes upstairs to pack. In the quiet Miss Pell begins to cry. It was not meant to go like this. # ending: The wrong apron
  -> END
+ [Accuse Mr Lisle # alias: mr lisle, it was mr lisle, it was the nephew, say it was mr lisle]
  "Oh, do you think so?" says Miss Pell, brightening. "Then he will have to come and explain himself." # ending: Not this Sunday
  -> END
+ { knows_lonely } [Accuse Miss Pell # alias: miss pell, it was miss pell, you did it, it was you, say it was miss pell]
  "Yes," says Miss Pell. "I made enough for two." You set the clock going, and stay until it strikes six. # ending: A place laid
  -> END
+ [Say you are not sure # alias: i am not sure, i do not know, not yet, wait, go back]
  "Take all the time you like," says Miss Pell at once. "Take all afternoon."
  -> parlour
