"""Paints a lit torch on a stone wall as a PNG, with nothing but the standard library.

Every pixel is one number, how bright it is, and one palette turns brightness into colour: cold dark stone, warm lit
stone, then flame. Light simply adds up, so the flame melts into its glow.
"""

import math
import random
import struct
import zlib

WIDTH, HEIGHT = 480, 270
FLAME_X, FLAME_BASE = 240, 158
FLAME_HEIGHT = 112

# Brightness and the colour it has; between two stops the colours blend.
PALETTE_STOPS = [
    (0, (5, 5, 10)),
    (22, (17, 15, 23)),
    (55, (46, 33, 34)),
    (95, (104, 64, 42)),
    (132, (168, 92, 40)),
    (158, (222, 96, 22)),
    (192, (255, 150, 30)),
    (222, (255, 206, 84)),
    (255, (255, 250, 222)),
]


def paint_torch():
    rng = random.Random(7)
    rows = paint_wall(rng)
    paint_handle(rows)
    paint_flame(rows)
    paint_sparks(rows, rng)
    return encode_png(rows)


def paint_wall(rng):
    """Stone blocks lit from the flame: each row is the light at its distance times the stone at that place."""
    light = [min(1.1, 1.1 * math.exp(-math.sqrt(d) / 9) + 0.5 * math.exp(-d / 30)) for d in range(2200)]
    squares = [((x - FLAME_X) / 8) ** 2 for x in range(WIDTH)]
    rows = []
    for top in range(0, HEIGHT, 45):
        blocks = lay_course(rng)
        for y in range(top, min(top + 45, HEIGHT)):
            dy = ((y - FLAME_BASE + 42) / 8) ** 2
            inside = y - top
            edge = 0.30 if inside < 2 else 1.22 if inside < 4 else 0.72 if inside > 42 else 1.0
            # Grain in short dashes: it looks chiselled, and it compresses.
            grain = rng.choices((0.93, 1.0, 1.0, 1.05), k=WIDTH // 4 + 1)
            rows.append(
                bytearray(
                    int(128 * light[int(square + dy)] * stone * edge * grain[x >> 2]) + 4
                    for x, (square, stone) in enumerate(zip(squares, blocks))
                )
            )
    return rows


def lay_course(rng):
    """The brightness across one course of blocks, dark joints between them."""
    course = []
    x = -rng.randrange(20, 80)
    while x < WIDTH:
        width = rng.randrange(62, 104)
        tone = rng.uniform(0.72, 1.12)
        block = [0.32, 0.32, tone * 1.2] + [tone] * (width - 5) + [tone * 0.7, tone * 0.5]
        course += block[max(0, -x) :] if x < 0 else block
        x += width
    return course[:WIDTH]


def paint_handle(rows):
    """A wooden shaft in an iron ring, brighter towards the flame."""
    for y in range(FLAME_BASE - 6, HEIGHT):
        depth = (y - FLAME_BASE) / (HEIGHT - FLAME_BASE)
        half = 9.0 - 2.5 * depth
        glow = 150 * math.exp(-1.9 * max(0.0, depth)) + 12
        for x in range(int(FLAME_X - half), int(FLAME_X + half) + 1):
            side = (x - FLAME_X) / half
            shine = math.sqrt(max(0.0, 1 - side * side))
            rows[y][x] = int(glow * (0.25 + 0.62 * shine) * (0.8 if (x * 5 + y // 9) % 7 == 0 else 1.0))
    for top, half, height in ((FLAME_BASE - 2, 17, 7), (FLAME_BASE + 17, 13, 6)):
        for y in range(top, top + height):
            for x in range(FLAME_X - half, FLAME_X + half + 1):
                side = (x - FLAME_X) / half
                rim = 1.5 if y == top else 0.75
                rows[y][x] = int(84 * rim * (0.3 + 0.8 * math.sqrt(max(0.0, 1 - side * side))))


# Tongues of the flame: sideways offset, width, height, sway and its phase, strength.
TONGUES = [
    (0, 30, 1.0, 9, 0.4, 1.0),
    (-13, 17, 0.66, 7, 2.2, 0.8),
    (14, 16, 0.74, 8, 4.4, 0.8),
    (3, 15, 0.52, 4, 1.0, 1.1),
]


def paint_flame(rows):
    for y in range(FLAME_BASE - FLAME_HEIGHT, FLAME_BASE + 5):
        rise = (FLAME_BASE + 5 - y) / FLAME_HEIGHT
        shapes = [shape for shape in (slice_tongue(tongue, rise) for tongue in TONGUES) if shape]
        row = rows[y]
        for x in range(FLAME_X - 58, FLAME_X + 59):
            heat = 0.0
            for centre, half, strength in shapes:
                off = (x - centre) / half
                if -1 < off < 1:
                    body = 1 - off * off
                    heat += strength * body * body
            if heat > 0:
                # Light saturates instead of clipping, so the core stays soft.
                row[x] = int(row[x] + (254 - row[x]) * (1 - math.exp(-2.1 * heat)))


def slice_tongue(tongue, rise):
    """Where a tongue is at this height: its centre, half its width, how hot. None above its tip."""
    offset, width, height, sway, phase, strength = tongue
    at = rise / height
    if at >= 1:
        return None
    half = width * (at + 0.015) ** 0.5 * (1 - at) ** 0.8 * 1.75
    centre = FLAME_X + offset * (0.45 + 1.1 * at * (1 - at)) + sway * at * math.sin(4.6 * at + phase)
    return centre, half, strength * (1.12 - 0.72 * at)


def paint_sparks(rows, rng):
    for _ in range(26):
        rise = rng.random()
        x = int(FLAME_X + rng.gauss(0, 14 + 34 * rise))
        y = int(FLAME_BASE - 62 - 92 * rise)
        if 1 <= y < HEIGHT - 1 and 1 <= x < WIDTH - 1:
            heat = int(236 - 90 * rise)
            for dx, dy, share in ((0, 0, 1.0), (1, 0, 0.6), (0, 1, 0.6), (-1, 0, 0.35), (0, -1, 0.35)):
                rows[y + dy][x + dx] = max(rows[y + dy][x + dx], int(heat * share))


def encode_png(rows):
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(row) for row in rows)
    chunks = [(b"IHDR", header), (b"PLTE", build_palette()), (b"IDAT", zlib.compress(pixels, 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def build_palette():
    palette = bytearray()
    for (start, low), (end, high) in zip(PALETTE_STOPS, PALETTE_STOPS[1:]):
        for level in range(start, end):
            share = (level - start) / (end - start)
            palette += bytes(round(a + (b - a) * share) for a, b in zip(low, high))
    return bytes(palette) + bytes(PALETTE_STOPS[-1][1])
