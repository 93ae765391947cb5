#!/usr/bin/env python3
"""Strikes a bell: synthesises its sound as a WAV file."""

import array
import io
import math
import sys
import wave

from narratoria_tool import ToolError, run

RATE = 22050
SECONDS = 2.0

# The partials of a church bell: ratio to the strike note, loudness, seconds until it has faded to a third.
PARTIALS = [
    (0.5, 0.45, 1.6),
    (1.0, 0.60, 1.1),
    (1.2, 0.50, 0.8),
    (1.5, 0.25, 0.6),
    (2.0, 0.55, 0.5),
    (2.67, 0.22, 0.3),
    (4.1, 0.14, 0.12),
]


def main(input, emit):
    pitch = input.get("pitch", 440)
    if isinstance(pitch, bool) or not isinstance(pitch, (int, float)) or not 55 <= pitch <= 1760:
        raise ToolError("BAD_PITCH", "A bell's pitch lies between 55 and 1760 Hz.")
    emit.info("Ringing bell...")
    emit.asset(
        "bell",
        "audio/wav",
        data=encode_wav(strike_bell(pitch)),
        file_name="bell.wav",
        metadata={"seconds": SECONDS, "sampleRate": RATE, "channels": 1, "pitch": pitch},
    )
    return "The bell rings."


def strike_bell(pitch):
    length = int(RATE * SECONDS)
    sound = [0.0] * length
    for ratio, loudness, fading in PARTIALS:
        angle = 2 * math.pi * pitch * ratio / RATE
        # One sine from the two before it: 2 cos(w) s[n-1] - s[n-2], damped a little each step.
        decay = math.exp(-1 / (RATE * fading))
        ahead, behind = 2 * decay * math.cos(angle), -decay * decay
        before, last = 0.0, loudness * decay * math.sin(angle)
        for n in range(1, length):
            sound[n] += last
            before, last = last, ahead * last + behind * before
    return soften_ends(sound)


def soften_ends(sound):
    """No click at either end, and as loud as 16 bits comfortably allow."""
    attack, release = RATE // 500, RATE // 5
    for n in range(attack):
        sound[n] *= n / attack
    for n in range(1, release + 1):
        sound[-n] *= (n - 1) / release
    peak = max(map(abs, sound))
    return array.array("h", (int(28000 * value / peak) for value in sound))


def encode_wav(samples):
    if sys.byteorder == "big":
        samples.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE)
        wav.writeframes(samples.tobytes())
    return file.getvalue()


run(main)
