// Below the tally house: the water, the hall where the lamp stands, and the ledge with the bell.

=== water ===
{ water == 1:
    -> look
}
The water again, making its small remarks. # scene
-> choices

= look
The steps go down into black water and do not come back until the other side, thirty feet off. It makes small remarks to itself. { knows_way(): Where the plan has dots there are stones, a hand’s breadth under. | There are stones, just under; or else there are things shaped like stones. } # scene
-> choices

= choices
<- pockets(-> choices)
+ [Cross the water # alias: cross, cross stones, wade, wade across, cross over, step on stones, go across, ford water, go on]
    { crossing:
        You know the stones by now.
        -> hall
    }
    -> crossing
+ [Climb back to the tally house # alias: go back, tally house, go up, climb up, climb steps, back, return]
    -> tally_house
+ [Look around # hidden # alias: look, look around, look again, where am i, look at water, look at stones, examine water]
    -> look

// The only dice of the story. A map is worth three; a poor roll costs oil, and oil can be had from the den.
// Whether there is a total at all is asked first: no roll must not pass for a low one.
= crossing
{ knows_way():
    ~ ford_dice = "2d6+3"
}
You lift the satchel onto your head and step in. # tool: ford1 dice-roller dice={ford_dice}
{
- not ok("ford1") or not state("/dice/last/total"):
    You do it without luck, one heel at a time, feeling for each stone before you believe in it. Near the end the satchel dips, and when you have fished it out there are two measures in the flask.
    ~ oil = 2
- state("/dice/last/total") >= 9:
    Left, left, long, right. You arrive with dry knees and a raised opinion of yourself.
- state("/dice/last/total") >= 6:
    The fourth stone is not a stone. You go in to the waist and the satchel follows you, and a measure of good oil goes off across the water by itself, in colours.
    ~ oil = 2
- else:
    The second stone rolls. There is an interval. You come out at the far side with the {light()} held high, like someone hailing a coach, and the satchel upside down round your neck. There is one measure left in the flask.
    ~ oil = 1
}
{ oil < 3:
    You cork what remains. # tool: spill1 satchel take=flask oil={oil} optional
}
-> hall

=== hall ===
{ hall == 1:
    -> look
}
You are in the round hall, with the lamp. # scene
-> choices

= look
A round hall, and in the middle of it the lamp. { look == 1: You had imagined a chain, possibly a saint. } It is an iron thing the size of a beehive, hooded, on a turning foot, with one glass eye. { lamp_oil >= 3: Behind the glass the flame stands up as tall as a hand. | { lamp_oil > 0: Behind the glass the flame is about as tall as a thumb. | Behind the glass is a flame no bigger than a fingernail. } } # scene

{ lamp_turned: It is looking down the Long Rake. The other four mouths | It is looking at you; that is, at the way you came in. Five tunnel mouths, all alike, } stand open behind its back. An iron ladder goes up to a ledge. It is quiet, but it is a quiet you seem to have come into partway through.
{ look == 1:
    Your last step goes on ahead of you, into the mouths. # tool: echo1 acoustics sound=footstep optional
    { ok("echo1") and state("/echo/returned") == 4: It comes back out of four of them. You wait for the fifth, and after a while you stop waiting. | It does not come back. }
}
-> choices

= choices
<- pockets(-> choices)
* [Examine the lamp # alias: examine lamp, look at lamp, inspect lamp, study lamp, look at flame]
    -> lamp_close
+ { lamp_close } [Examine the lamp again # hidden # alias: examine lamp, look at lamp, inspect lamp, study lamp, look at flame]
    -> lamp_close
+ { oil + tin_oil > 0 and lamp_oil < 3 } [Fill the lamp # alias: fill lamp, pour oil, pour in oil, add oil, use oil, use flask, refill lamp, empty flask into lamp, empty tin into lamp]
    -> fill
+ { not knows_way() } [Turn the lamp # alias: turn lamp, rotate lamp, move lamp, point lamp, aim lamp]
    It goes round, with a groan. But to look where? There are five mouths and nothing to choose between them. Somebody must have drawn this place once. You turn it back to the stair, where it was.
    -> choices
* { knows_way() } [Turn the lamp to the Long Rake # alias: turn lamp, rotate lamp, move lamp, point lamp, aim lamp, point lamp at long rake, turn lamp to second mouth, turn lamp to second tunnel, light long rake]
    ~ lamp_turned = true
    You count mouths, and count them again, and put your shoulder to it. The iron comes round with a groan, like someone getting up. { lamp_oil >= 3: The light goes into the second mouth and goes on going in: rails, a wet floor, no end. | The light goes in at the second mouth about as far as you could throw a hat. }
    -> choices
+ [Listen # hidden # alias: listen, listen at mouths, listen to quiet, listen to tunnels, listen to silence, be quiet, hold breath, wait]
    ~ heard_knocking = true
    You hold your breath to hear what the quiet was in the middle of. A long way in, something is knocking on stone. It is not in any hurry. It sounds like someone keeping time, so as not to lose count.
    -> choices
+ { heard_knocking } [Knock on the rock # hidden # alias: knock, knock back, knock on stone, knock on wall, tap, tap on rock, answer, answer knocking]
    You pick up a stone and knock twice on the wall. The knocking stops. There is a pause in which you have the impression of being discussed.
    Then it begins again, and this time you count. Eleven.
    -> choices
+ { knows_shift } [Say the names # hidden # alias: say names, read names, call names, speak names, call out names, call out, shout, call, shout names, read names aloud]
    You say them into the mouths, in the order they are written. Hannah Orrell. Jem Orrell. Silas Crake. Nothing answers. But you find that you leave a gap after each one, and that the gaps are not altogether empty.
    -> choices
+ [Climb the ladder # alias: climb ladder, go up ladder, go up, climb up, climb, ledge, go to ledge]
    -> ledge
+ [Go back across the water # alias: go back, back, cross water, cross back, go to water, return, leave, leave hall]
    -> back_across
* [Consider putting the lamp out # alias: put out lamp, put lamp out, extinguish lamp, blow out lamp, blow out flame, snuff lamp, pinch wick]
    -> consider
+ { consider } [Put the lamp out # alias: put out lamp, extinguish lamp, blow out lamp, blow out flame, snuff lamp, pinch wick]
    -> put_out
+ [Look around # hidden # alias: look, look around, look again, where am i, look at hall, look at mouths, look at tunnels, examine mouths]
    -> look

= lamp_close
There are three rings inside the tank, and a plate: THREE MEASURES, ELEVEN YEARS. { lamp_oil == 0: The flame is drinking the last spoonful. } The foot is made to turn. Whoever comes down always cleans the glass, by the look of it. Nobody tells them to.
-> choices

= consider
You lick a finger and thumb, to see how the idea feels. { knows_shift: Sixty-six years is a long time to be told to wait. Perhaps nobody has had the manners to tell them to stop. | It would save the next person forty steps and a soaking. } The flame does not flinch. Nobody has ever raised a hand to it.
+ [Put it out # alias: put it out, put out lamp, pinch it out, pinch wick, do it, yes, extinguish lamp, blow out lamp, snuff lamp]
    -> put_out
+ [Leave it burning # alias: leave it, leave lamp, leave lamp burning, no, do not, stop, go back]
    You dry your fingers on your coat. The flame goes on with what it was doing.
    -> choices

= fill
{ oil > 0:
    You unscrew the cap and pour in what the flask has. # tool: pour1 satchel take=flask name="an empty flask" oil=0 optional
}
{ tin_oil > 0:
    You pour in what the tin has, and shake it for the last drop. # tool: pour2 satchel take=tin name="an empty tin" oil=0 optional
}
~ lamp_oil = lamp_oil + oil + tin_oil
~ oil = 0
~ tin_oil = 0
{
- lamp_oil >= 3:
    ~ lamp_oil = 3
    The oil comes up to the third ring. The flame goes up on its toes and stays there, as tall as a hand, and the hall grows a ceiling.
- lamp_oil == 2:
    It comes up to the second ring. The flame grows to a thumb. Seven years, say, of not much light. { not tin_taken: If there is more oil under this hill, the keeper will have kept it. }
- else:
    It comes up to the first ring. The flame grows to a thumb, and stops. Four years, say, of not much light. { not tin_taken: If there is more oil under this hill, the keeper will have kept it. }
}
-> choices

= back_across
You know the stones by now. Across, and up.
-> tally_house

=== ledge ===
{ ledge == 1:
    -> look
}
The ledge, the cage, the bell. # scene
-> choices

= look
A ledge, and on it a bell in an iron cage, green as a pond, with a board of signals painted on the rock beside it. From here you can see the hood of the lamp and all five mouths. { not cage_open: The cage is locked. On the lock plate someone has scratched a little bell. } # scene
-> choices

= choices
<- pockets(-> choices)
* [Read the signal board # alias: read board, look at board, examine board, read signals, look at signals, signal board]
    ~ knows_signal = true
    “_1, stop. 2, lower. 3, men riding. 5, water._” The rest has flaked away, all but the last line. That has been painted again and again, in different years, by somebody who could not bear that it should be missed: “_7, all up._”
    -> choices
+ { knows_signal } [Read the signal board again # hidden # alias: read board, look at board, examine board, read signals, look at signals, read signal board]
    “_7, all up._” You could read it from the far side of the hall. That was the idea.
    -> choices
* { has_key } [Unlock the cage # alias: unlock cage, open cage, use key, use brass key, unlock bell, unlock lock, try key, ring bell]
    ~ cage_open = true
    The brass key turns. Somebody kept the lock oiled for as long as he could.
    -> choices
+ { not has_key } [Try the cage # alias: try cage, open cage, unlock cage, ring bell, force cage, try lock]
    Locked. You can get two fingers to the bell, and it hums a little when you touch it. There is a key somewhere; there would have to be. The man who locked this would have kept it where he could see it.
    -> choices
+ { cage_open } [Ring once # alias: ring bell, ring bell once, ring one, strike bell, ring 1]
    One. # tool: bell1 bell-ringer pitch=196
    { not ok("bell1"):
        The clapper has rusted where it hangs; you use the heel of your hand.
    }
    The note goes down all five mouths, and takes its time. _Stop._ { heard_knocking: Far in, the knocking stops. You wait, rather ashamed, until it starts again. | Nothing down there was going anywhere. You feel you have spoken sharply to someone. }
    -> choices
+ { cage_open and knows_signal } [Ring five # alias: ring 5, ring five times, ring bell five times, ring water]
    One, two, three, four, five. # tool: bell5 bell-ringer pitch=196
    { not ok("bell5"):
        The clapper has rusted where it hangs; you use the heel of your hand.
    }
    _Water._ It goes off down the tunnels, sixty-six years late, to tell them what they know.
    -> choices
+ { cage_open and knows_signal } [Ring seven # alias: ring 7, ring seven times, ring bell seven times, ring all up, all up]
    -> seven
// For those who have been here before, in another take.
+ { cage_open and not knows_signal } [Ring seven # hidden # alias: ring 7, ring seven times, ring bell seven times, ring all up]
    -> seven
+ [Climb down # alias: climb down, go down, down, go back, climb down ladder, back, leave, hall]
    -> hall
+ [Look around # hidden # alias: look, look around, look again, where am i, look at bell, examine bell, look at ledge]
    -> look

= seven
Seven. You count them aloud, so as not to have to think. # tool: bell7 bell-ringer pitch=196
{ not ok("bell7"):
    The clapper has rusted where it hangs; you use the heel of your hand, and count the bruises.
}
{ lamp_turned and lamp_oil >= 3:
    -> all_up
}
The last stroke goes down all five mouths. For a while that is all. Then, a long way in, boots.
{
- lamp_turned:
    They come on slowly, slower, until you could swear they are only just beyond the light. There they stop. It is too small a light to walk by. After a while they turn, and go back in to wait.
- lamp_oil >= 3:
    They come on, many of them, as far as some turning you cannot see; and there they mill, and stop. They heard. They cannot see where to come. Below you the lamp goes on looking faithfully at the stair. After a while the boots go back in to wait.
- else:
    They come a little way, and mill, and stop. They heard. But there is nothing for them to see: a small flame, with its back turned. After a while the boots go back in to wait.
}
-> choices
