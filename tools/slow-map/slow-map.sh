#!/bin/sh
# Maps a cave step by step, slowly, and says how far it is: progress needs no SDK, only printf.
# Input: {"steps": 6, "delayMs": 400}

# Plain sh has no JSON parser. Two whole numbers can be cut out of the line; for more, use another language.
line=$(tr -d ' \t\r\n')

number() { # name, default
  rest=${line#*"\"$1\":"}
  digits=${rest%%[!0-9]*}
  if [ "$rest" = "$line" ] || [ -z "$digits" ] || [ ${#digits} -gt 5 ]; then echo "$2"; else echo "$digits"; fi
}

steps=$(number steps 6)
delay=$(number delayMs 400)
if [ "$steps" -lt 1 ] || [ "$steps" -gt 100 ]; then steps=6; fi
pause=$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))

step=0
while [ "$step" -lt "$steps" ]; do
  sleep "$pause"
  step=$((step + 1))
  percent=$((100 * step / steps))
  fraction=$(printf '%d.%02d' $((percent / 100)) $((percent % 100)))
  message="Mapping the cave: $step of $steps"
  printf '{"version":"0","type":"log","level":"info","message":"%s","fields":{"progress":%s}}\n' "$message" "$fraction"
done

echo '{"version":"0","type":"state_patch","patch":{"map":{"drawn":true}}}'
echo '{"version":"0","type":"done","ok":true,"summary":"The map is drawn."}'
