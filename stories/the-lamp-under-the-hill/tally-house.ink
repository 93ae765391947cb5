// Behind the door: the tally house, where the shift was counted down and up, and the den of the man who counted.

=== tally_house ===
{ has_light() and look_lit:
    The tally house: hooks, desk, archway, steps. # scene
    -> choices
}
-> look

= look
{ has_light():
    -> look_lit
}
It is dark as the inside of a loaf. You meet things in the order they meet you: a desk, at the hip; a lantern, at the forehead, swinging on a nail. Somewhere ahead and below, water is moving about. # scene
-> choices

= look_lit
A room cut square out of the rock. One wall is a board of hooks, each with a mark burned over it. There is a desk with a ledger on it and one drawer not quite shut; { not state("/lantern/lit"): a lantern on a nail; } an archway into somewhere smaller; and at the back, steps going down to the sound of water. # scene
-> choices

= choices
<- pockets(-> choices)
{ not has_light():
    <- in_the_dark
}
{ has_light():
    <- in_the_light
}
+ [Go back to the landing # alias: go back, landing, go to landing, leave, go out, leave room, back to door]
    -> landing
+ [Look around # hidden # alias: look, look around, look again, where am i, look at room]
    -> look

= in_the_dark
+ { not tried_torch } [Light the torch # alias: light torch, strike flint, ignite torch, kindle torch, use flint, use torch]
    -> strike_flint
+ { tried_torch } [Try the torch again # alias: light torch, strike flint, try torch, try again, use flint]
    -> strike_flint
* [Light the lantern # alias: light lantern, use lantern, strike match]
    -> light_lantern
* [Feel your way toward the water # alias: feel way toward water, feel way, go down, go to water, go down steps, grope]
    Two steps. The third is not where you left it. You come back up on your hands and decide that light is not a luxury.
    -> choices

= strike_flint
{ tried_torch: It is drier in here. You give the torch another chance. | You find the torch by smell and strike the flint over it. } # tool: light3 torch-lighter action=light_torch
~ tried_torch = true
{ ok("light3"):
    It catches. The dark steps back as far as the walls, and there turn out to be walls.
    -> look_lit
}
The sparks show you, for as long as sparks do, a lantern, a desk, your own hand. The torch does not join in.
-> choices

= light_lantern
There are matches on the desk. You feed one to the lantern. # tool: lantern1 flaky-lantern
{
- ok("lantern1"):
    It thinks about it, and then it burns: a small, yellow, square-shouldered light, like a clerk.
- torch_lit():
    The wick fizzes, weighs the matter, and goes out. You still have the torch. The lantern has only made a point.
- else:
    The wick fizzes, weighs the matter, and goes out. So does the next match. By the last of the box you see what you should have seen by the first: a candle end, in a saucer, at your elbow. You get the flame to it with nothing to spare.
    ~ candle = true
    The candle will do. Candles do. # tool: candle1 satchel take=candle name="a candle end" optional
}
{ not look_lit:
    -> look_lit
}
-> choices

= in_the_light
+ { not torch_lit() } [Light the torch # hidden # alias: light torch, strike flint, try torch, ignite torch, light torch with candle, light torch with lantern]
    ~ tried_torch = true
    You offer the torch a corner of the {light()}. # tool: light4 torch-lighter action=light_torch
    { ok("light4"):
        It catches at once, as though all it had wanted was company.
    - else:
        It declines.
    }
    -> choices
* [Look at the hooks # alias: look at board, examine board, examine hooks, look at wall, look at board of hooks, read board, tally board]
    -> hooks
+ { hooks } [Look at the hooks again # hidden # alias: look at hooks, look at board, examine board, examine hooks, look at wall, read board, tally board]
    { has_key: Twelve hooks, all empty. | Eleven empty hooks, and a twelfth with a brass key on it. } It does not take long to read.
    -> choices
* { hooks } [Take the brass key # alias: take key, get key, pick up key, brass key, grab key]
    ~ has_key = true
    You take the key. Now the board is empty all the way along. # tool: key1 satchel take=brass_key name="a brass key" optional
    -> choices
* { not knows_shift } [Read the ledger # alias: read ledger, look at ledger, examine ledger, open ledger, read book, open book]
    -> ledger ->
    -> choices
+ { knows_shift } [Read the ledger again # hidden # alias: read ledger, look at ledger, examine ledger, open ledger, read book, open book]
    -> ledger ->
    -> choices
* [Open the drawer # hidden # alias: open drawer, look in drawer, search drawer, examine drawer, search desk, examine desk, look in desk, pull drawer]
    ~ has_packets = true
    It sticks, then comes. Inside, tied with string, are eleven small brown envelopes. Each has a mark on the front and coins in the bottom. Pay, for the week ending a Friday sixty-six years ago.
    They weigh more than you expect. You take them, since somebody ought to. # tool: packets1 satchel take=pay_packets name="eleven pay packets" optional
    -> choices
* { not state("/lantern/lit") and not candle } [Light the lantern # alias: light lantern, use lantern, strike match]
    -> light_lantern
+ [Go through the archway # alias: go through arch, archway, arch, enter archway, go to den, enter den, keepers den, smaller room]
    -> den
+ [Go down to the water # alias: go down, down, go to water, water, go down steps, descend, follow water]
    -> water
+ { lamp_oil > 0 } [Sign the ledger and go up # alias: sign ledger, sign, write in ledger, sign book]
    -> sign

= hooks
Eleven hooks in a row, all empty, and over each a mark burned into the wood: gate, fish, ladder. { examined_door: You have seen them on the door. | You look behind you: the same marks are cut all over the door. } So much for ancient runes. They are signatures.

You see how it worked. You cut your mark on the door for luck; you took your brass tally off your hook and went down; you hung it up again when you came back. Anybody could look at this wall and say who was still under the hill.

{ knows_mark: Third from the left is two strokes and a bird’s foot. }
Everybody is still under the hill.

A twelfth hook, at the end, has a bell burned over it, and a brass key.
-> choices

// A tunnel: it is read from the desk, and again when signing.
=== ledger ===
~ knows_shift = true
The first page is in a careful hand. “_Late shift, Long Rake, eleven down._ Hannah Orrell. Jem Orrell. Silas Crake. Thorn, and Thorn’s brother. Ned Fell. Dorcas Lumb. Old Tobit. Will Garrow. Young Will Garrow. Bess Hale. _Water came in at four. Bell not rung. Have lit a lamp at the shaft foot, so they will know the way. No one yet. A. Pike, bellman._”

After that there is one line every eleven years. “_Filled. No one yet. A. Pike._” “_Filled. No one yet. A. Pike._” Then another hand: “_Filled. No one yet._” Another: “_Filled. No one._” Another: “_Lamp done. Nobody about. Claimed forty steps as mileage._”

So that is what it is for. It has been looked into.
{ knows_mark:

    Bess Hale was your grandmother’s mother. In the family it was always said that she had gone to the coast.
}
->->

=== den ===
{ den == 1:
    -> look
}
The keeper’s den. { not knows_way(): The plan of the workings waits on its wall. } # scene
-> choices

= look
A bunk, a stool, a shelf, a stove with a row of cups above it: the room of a man who meant to stay a night or two. The end wall is one great slate, with a plan of the workings cut into it, so sooted over that you can only read it with your fingers. { tin_taken: The shelf is bare. | On the shelf stands a tin. } The boards above the bunk are worn smooth, just over the pillow, as if by being looked at. # scene
-> choices

= choices
<- pockets(-> choices)
+ { not knows_way() } [Take a rubbing of the plan # alias: take rubbing, rub plan, make rubbing, draw map, make map, copy plan, copy map, map, look at plan, examine plan, read plan, examine slate, look at slate]
    -> rubbing
+ { knows_way() } [Look at the plan # hidden # alias: look at plan, examine plan, read plan, look at map, read map, examine map, look at slate]
    Water, hall, five mouths. The second mouth is the Long Rake. The lamp is marked as looking the other way.
    -> choices
* [Take the tin # alias: take tin, get tin, pick up tin, look at tin, examine tin, take oil, look at shelf]
    ~ tin_taken = true
    ~ tin_oil = 2
    “_For the lamp, NOT the stove_,” says the label, underlined twice by somebody who must have been very cold.
    It sloshes: two measures, about. You take it. # tool: tin1 satchel take=tin name="a tin of lamp oil" oil=2 optional
    -> choices
+ [Lie down on the bunk # hidden # alias: lie on bunk, lie down, lie in bunk, rest, sleep, look at boards, examine boards, look above bunk, look at bunk, examine bunk, read boards, touch boards]
    ~ knows_snow = true
    You lie where the keeper lay and look where he looked. There are words in the smooth place, cut small and gone over so many times with a thumb that they have nearly healed.
    “_I went out to see the snow. It was the first. I was gone ten minutes._”
    -> choices
+ [Look at the stove # hidden # alias: look at stove, examine stove, open stove, look at cups, examine cups, count cups, look in stove]
    It is laid: paper, sticks, a few good lumps, the kettle filled. It has never once been lit. Above it hang eleven cups. It was for afterwards.
    -> choices
* { has_light() } [Light the stove # hidden # alias: light stove, light fire, light kindling, make tea, boil kettle, put kettle on]
    ~ stove_lit = true
    You put the {light()} to the paper. It takes at the first touch, like something that has been holding its breath, and after a while the kettle begins to talk.
    -> choices
+ [Go back to the tally house # alias: go back, tally house, back, leave, leave den, go through archway, go out, return]
    -> tally_house
+ [Look around # hidden # alias: look, look around, look again, where am i, look at den, look at room]
    -> look

= rubbing
You spread the letter of thanks face down on the slate and rub it with charcoal from the scuttle. It is slow work, and rather soothing. # tool: map1 slow-map
{ ok("map1"):
    The hill comes up white out of the black. Here are the stairs. Here is the water, with a row of dots across it, which will be stones. Here is the round hall at the shaft foot, with five tunnels round it like the fingers of a hand; and along the second, in small capitals, LONG RAKE.

    And here, scratched in later, is where {keeper()} set the lamp, with an arrow for the way it faces. He pointed it at the stair. He thought of everything except where they were standing.
    You fold the hill in four and put it away. # tool: map2 satchel take=letter name="a letter of thanks with a map on the back" optional after=map1
- else:
    ~ plan_by_heart = true
    The charcoal goes to crumbs, and leaves the thanks of the parish merely dirty. So you do it the old way, with a fingertip, saying it under your breath until it stays: stairs; water, with stones across it; a round hall with five tunnels; and the second of them, in small capitals, LONG RAKE.

    And here, scratched in later, is where {keeper()} set the lamp, with an arrow for the way it faces. He pointed it at the stair. He thought of everything except where they were standing.
}
-> choices
