#!/usr/bin/env python3
"""Lights the player's torch and shows it; `paint_torch.py` paints the picture."""

from narratoria_tool import ToolError, run
from paint_torch import HEIGHT, WIDTH, paint_torch


def main(input, emit):
    action = input.get("action", "light_torch")
    if action != "light_torch":
        raise ToolError("UNKNOWN_ACTION", f"The torch-lighter cannot {action}.", {"known": ["light_torch"]})
    emit.info("Lighting torch...")
    if input.get("wet") is True:
        raise ToolError("TORCH_WET", "The torch is too wet to catch.")
    emit.patch({"inventory": {"torch": {"lit": True}}})
    emit.asset(
        "torch",
        "image/png",
        data=paint_torch(),
        file_name="torch.png",
        metadata={"width": WIDTH, "height": HEIGHT, "alt": "A lit torch on a dark stone wall."},
    )
    return "Torch lit."


run(main)
