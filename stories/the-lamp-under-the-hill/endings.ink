// The five endings, and the signing of the ledger that leads to two of them.

=== sign ===
You sit down at the desk. The pen is where they all left it. The last line on the page says: “_Lamp done. Nobody about. Claimed forty steps as mileage._” # scene
-> choices

= choices
+ [Write: filled, no one # alias: write filled no one, write filled, write no one, filled no one, write it is filled]
    -> no_one
+ { knows_shift } [Write: filled, no one yet # alias: write filled no one yet, write no one yet, no one yet, filled no one yet, write yet]
    -> no_one_yet
+ { not knows_shift } [Read back a few pages first # alias: read back, read ledger, read pages, turn back pages, read first page, read book, look back]
    -> ledger ->
    -> choices
+ [Put down the pen # alias: put pen down, do not sign, stop, go back, get up, leave]
    You get up. It can wait. Things here can.
    -> tally_house.choices
+ [Look around # hidden # alias: look, look around, look again, where am i, look at ledger, look at page]
    The pen, the page, the {light()}, your hand.
    -> choices

=== no_one ===
“_Filled. No one._” It is accurate. You blot it and are up the forty steps by tea, in the first of the snow.

The council thanks you in the terms of its letter. Nobody asks what the lamp is for, and you find you are not able to raise it under any item on the agenda.

All that winter you leave a light in your own front window. People remark on it. You tell them it is for no one. # ending: No One
-> END

=== no_one_yet ===
“_Filled. No one yet._” You look at the last word until it has dried. { lamp_oil < 3: Then, because someone will need to know, you add: “_Not full. Come sooner._” }

On the hill it has begun to snow. { knows_snow: You stand in it for a good deal less than ten minutes. | You stand in it rather longer than you meant to. }

At the next meeting you ask for it to be minuted that you will go again, and the time after that, and that it is spelled with a _yet_. There are no objections. You are there, this time, to see that there are none.

{ lamp_turned: Under the hill, a light looks down the Long Rake, where no one has ever put a light before. It looks, and it waits. | Under the hill, a light looks at the foot of the stairs, and waits. } # ending: No One Yet
-> END

=== put_out ===
It makes no more noise than a page turning. The dark does not fall; it was there the whole time, and only stops stepping back.

{ heard_knocking: You listen, because you have to. The knocking goes on for a little while. Then it loses count. }

You go up by the {light()}: the water, the hooks, the door, the stair. At the top you turn round. The dark has come up behind you as far as the last step, and stopped there, like someone seeing you off.

The council is delighted. It was a line in the budget.

Nobody is sent down again. Only, some nights in Underlow, at about four, people wake, and lie listening for something to be over, and cannot think what it was. # ending: Put Out
-> END

=== as_minuted ===
{ lamp_oil > 0:
    You tell them it is filled, and it is. You did not write it in the book; but the council has a book of its own.
- else:
    You tell them it is filled. It is surprisingly easy. Someone asks whether it was far, and you say forty steps, which is true.
}

“_Lamp: filled_,” say the minutes. In the morning it is tomorrow, and your letter of thanks comes into force.

{
- lamp_oil > 0:
    It snows. Under the hill a flame stands behind its glass with its mind on its work. In eleven years they will ask for volunteers, and you make a note to be at the meeting.
- knows_shift:
    It snows. Under the hill a flame the size of a fingernail gets through what it has, which takes until Thursday. You know what day it is. You know eleven names. You go to every meeting, after that, and never once speak.
- else:
    It snows. Under the hill a flame the size of a fingernail gets through what it has, which takes until Thursday, and then, there being nobody to see, makes no fuss about it.
}
{ lamp_oil > 0: You return the flask, as asked. | You return the flask. Nobody shakes it. } # ending: As Minuted
-> END

// Everything the player troubled to find out comes up the stairs here.
=== all_up ===
The last stroke goes down the Long Rake, along the light, and for a while that is all.

Then boots. It is the way people walk when something is finished. They come out of the second mouth in single file with their hats pulled down, wet to the shoulder and grumbling about it, talking of nothing: a roof, a tooth, whose turn it is to see to the pony. You count them from the ledge, as {keeper()} would have. Eleven.

{ has_packets:
    You are at the foot of the ladder with the envelopes before you have thought what you will say, and it turns out that nothing is wanted. Each of them looks for the mark, takes the packet, and nods. None of them counts it. # tool: packets2 satchel drop=pay_packets optional

}
{ knows_mark:
    The last is a woman who walks as your grandmother walked, as if the floor might be about to argue. She looks at you for rather longer than the others did.

}
{ knows_snow:
    “Amos was wild to see that snow,” { knows_mark: she says. | says the last of them, a woman, stopping on her way by. } “Did he get to see it?”

    You say that he did.

    “Well, then,” she says, and goes on after the rest.

}
You hear them take the stones one by one, and the steps. You hear eleven small sounds of brass. Then the stair, a long way up, and then you do not hear them.

The lamp is full to the third ring and good for eleven years. It goes out by itself, like a shop closing.

You follow by the {light()}. In the tally house eleven tallies hang on eleven hooks, still swinging. { stove_lit: Through the arch, eleven cups stand upside down to drain. } Outside it has been snowing, and there is nobody on the hill; but there are footprints, a whole crowd of them, going down to Underlow. They keep together as far as the lane. Then they drop away, two at this gate, one at that. The last go on past the church and past the parish hall and turn in at your own front path, and stop at the door, and do not come back.

You knock before you go in. It is your house, but it seems only right. # ending: All Up
-> END
