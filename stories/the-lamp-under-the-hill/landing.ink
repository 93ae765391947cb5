// The landing with the torch and the mysterious door, and the hillside above it.

=== opening ===
The vote was unanimous. You were not at the meeting, which is how you came to be chosen. # scene

Every eleventh autumn somebody from Underlow goes down under the hill and fills the lamp. Nobody remembers what the lamp is for. The parish council has looked into it, and the minutes read, in full: _To be looked into._

So: forty steps down from the heather, and a landing. Behind you hangs a coin of grey daylight. In your belt is a pitch torch, unlit. In your satchel are flint and steel, a flask of lamp oil, the vicar’s pamphlet, and a letter thanking you for your service, dated tomorrow.

In front of you is a door. The pamphlet calls it _the mysterious door_, and for twopence says no more.
-> landing.choices

=== landing ===
You are back on the landing, between the forty steps and the door. # scene
-> choices

= look
A landing the size of a cart, forty steps below the heather. { torch_lit(): The torch makes a room of it. | What light there is comes down the stair and is tired when it gets here. } # scene
{ examined_door: The door is covered with marks, and one of them, low on the left, still seems to know you. | In front of you is the mysterious door. }
-> choices

= choices
<- pockets(-> choices)
* { not tried_torch } [Light the torch # alias: light torch, strike flint, light it, ignite torch, kindle torch, use flint, use torch]
    ~ tried_torch = true
    You strike the flint over the pitch. # tool: light1 torch-lighter action=light_torch
    { ok("light1"):
        It spits twice before it catches. Then the dark steps back, and the stair you had taken for rubble turns out to have been cut by someone patient: forty steps, all of a height, for people who would be climbing them tired.
    - else:
        Sparks, a smell of old boots, and no more. The torch has been kept in the crypt, drinking damp for eleven years, and sees no reason to stop for you. You put it back in your belt, where it can be a stick.

        The door, at least, needs no lighting. You have hands.
    }
    -> choices
// The same words light it when it has failed once: a player will type the same thing again.
+ { tried_torch and not torch_lit() } [Try the torch again # alias: light torch, strike flint, light it, try torch, try again, use flint]
    You try again from the other side, as if the torch might not notice. # tool: light2 torch-lighter action=light_torch
    { ok("light2"):
        It catches, grudgingly, like a man joining in a hymn. The dark steps back and turns out to have had a stair in it all along: forty steps, all of a height, cut by someone patient for people who would be climbing them tired.
    - else:
        It notices.
    }
    -> choices
* [Examine the mysterious door # alias: examine door, look at door, inspect door, look at runes, examine runes, read runes, read inscription, look at marks, study door, feel door]
    You go closer to the door than the pamphlet recommends. # tool: examine1 door-examiner target=mysterious_door
    ~ examined_door = true
    { ok("examine1"):
        -> marks
    }
    The marks on it slide about and will not be read. You get as far as oak, a latch worn bright in the middle, no lock, and one mark, low on the left, that you have the odd sense of having met.
    -> choices
+ { examined_door } [Look at the door again # hidden # alias: examine door, examine mysterious door, look at door, inspect door, look at runes, examine runes, read runes, read inscription, look at marks, study door]
    { torch_lit(): By torchlight the marks are | By touch, the marks are } what they were: a gate, a fish, a ladder with one rung. And that one low on the left, which you could swear you have met.
    -> choices
+ { examined_door } [Touch the mark # hidden # alias: touch mark, trace mark, feel mark, examine mark, look at mark, touch marks, trace marks, touch runes, trace runes, familiar mark, low mark, mark on left]
    ~ knows_mark = true
    Two strokes and a bird’s foot. Your thumb knows it before you do: it is cut into the underside of your kitchen table, which was your grandmother’s. You spent a good part of your childhood under there, being a badger, and nobody ever told you what it was.
    -> choices
+ { not examined_door } [Open the door # alias: open, open door, open mysterious door, lift latch, go in, enter, go through door, push door]
    -> open_door
// Once examined, the door asks for itself: these two carry the same words as the tool's own choices.
+ { examined_door } [Open # alias: open door, open mysterious door, lift latch, go in, enter, go through door, push door]
    -> open_door
+ [Leave # alias: go up, climb stairs, go upstairs, go out, go outside, go back, turn back, leave hill]
    -> hillside
+ [Look around # hidden # alias: look, look around, look again, where am i, look at landing]
    -> look

= marks
{ torch_lit():
    Oak, black as tea, with a latch worn bright in the middle and no lock. And marks: hundreds of them, cut at the height of a hand, all leaning one way like grass beside a beck.
- else:
    Your palm finds oak, and a latch worn thin in the middle, and no lock. And marks: hundreds of them, cut at the height of a hand, all leaning one way like grass beside a beck.
}

“{state("/discovered/door_inscription")},” says the pamphlet. But runes are the work of one scholar with a free afternoon. These were made by many people, quickly, on their way past: a gate, a fish, a ladder with one rung, over and over. One of them, low on the left, you have the odd sense of having met.
-> choices

= open_door
{ not tally_house:
    The latch lifts as though it had been lifted this morning. It is not a locked door. It is only a door that nobody opens.
- else:
    You lift the latch.
}
-> tally_house

=== hillside ===
{ hillside == 1:
    Forty steps up, and the wind has the hill to itself. Below, Underlow’s chimneys are all going at once. The air smells of snow, a week early. # scene
- else:
    The hill again, and the wind. Still no snow; still the smell of it. # scene
}
{ lamp_oil > 0: The lamp is filled. That was what they asked for. | You could go home and say it was done. Nobody has ever checked. }
-> choices

= look
Heather, sheep, a hole in the hill with steps in it. Down there, smoke and supper. Up here, a smell of snow. # scene
-> choices

= choices
<- pockets(-> choices)
+ [Go back down # alias: go down, down, go back, return, go in, descend, climb down, go under hill]
    -> landing
+ [Go home # alias: home, walk home, go to underlow, give up, leave, go down to village]
    -> as_minuted
+ [Look around # hidden # alias: look, look around, look again, where am i, look at sky, look at sheep]
    -> look
* [Wait for the snow # hidden # alias: wait, wait for snow, watch for snow, look for snow, look at snow, stay, smell air]
    You give it ten minutes. It does not come. { knows_snow: Ten minutes, you find, is no time at all. | Ten minutes is longer than you would think. }
    -> choices
