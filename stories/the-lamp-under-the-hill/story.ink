// The Lamp Under the Hill. This file holds what the whole story remembers; each area has a file of its own:
// landing (the door, the hillside), tally-house (and the keeper's den), shaft-foot (the water, the lamp, the bell),
// endings.
//
// What tools did is read from the session state: which light burns, whether the map is drawn, how the dice fell.
// What the player learned or carries is kept in variables here; the satchel tool only mirrors it into the session
// state, so all its calls are optional and no branch hangs on them.
EXTERNAL ok(id)
EXTERNAL state(path)

INCLUDE landing.ink
INCLUDE tally-house.ink
INCLUDE shaft-foot.ink
INCLUDE endings.ink

// Oil in measures. The lamp is full with three; a bad crossing leaves one in the flask, and the tin makes it three again.
VAR oil = 3
VAR tin_oil = 0
VAR lamp_oil = 0

VAR candle = false
VAR has_key = false
VAR has_packets = false
VAR tin_taken = false
VAR cage_open = false
VAR plan_by_heart = false
VAR lamp_turned = false

VAR tried_torch = false
VAR examined_door = false
VAR knows_mark = false
VAR knows_shift = false
VAR knows_snow = false
VAR knows_signal = false
VAR heard_knocking = false
VAR stove_lit = false

VAR ford_dice = "2d6"

-> opening

=== function torch_lit()
~ return state("/inventory/torch/lit")

=== function has_light()
~ return state("/inventory/torch/lit") or state("/lantern/lit") or candle

=== function light()
{ state("/inventory/torch/lit"):
    ~ return "torch"
}
{ state("/lantern/lit"):
    ~ return "lantern"
}
~ return "candle"

=== function keeper()
{ knows_shift:
    ~ return "Pike"
}
~ return "the keeper"

=== function knows_way()
~ return state("/map/drawn") or plan_by_heart

// What can be read anywhere, by those who think of looking in the satchel. A thread: it adds its choices to a room's.
=== pockets(-> back)
+ { torch_lit() } [Light the torch # hidden # alias: light torch, look at torch, examine torch]
    It is lit. It is doing its best.
    -> back
+ [Read the letter # hidden # alias: read letter, look at letter, examine letter, open letter, letter of thanks]
    “_Underlow thanks you for filling its lamp. Kindly return the flask._” And below, smaller, in another hand: “_If there is a bell, leave it be. We have always left it be._”
    { state("/map/drawn"):
        On the back, in white on black, is the whole of the hill.
    }
    -> back
+ [Read the pamphlet # hidden # alias: read pamphlet, look at pamphlet, examine pamphlet, open pamphlet, vicars pamphlet]
    “_The door beneath the hill bears ancient runes of a mournful character, wholly untranslatable. The lamp is thought to be Roman. For teas, see overleaf._”
    { knows_shift:
        You see overleaf. The teas, at least, are as described.
    }
    -> back
