import { expect, test } from "vitest";
import { dropUnseen, showUnseen } from "./name.tsx";

test("what would be invisible or turn the words around shows as its number", () => {
  expect(showUnseen("safe\u202Egpj.exe")).toBe("safe⟨U+202E⟩gpj.exe");
  expect(showUnseen("a\u200Bb\u0000")).toBe("a⟨U+200B⟩b⟨U+0⟩");
  expect(showUnseen("   ")).toBe("“   ”");
});

test("joiners of emoji and scripts stay as they are", () => {
  expect(showUnseen("👩\u200D🚀 می\u200Cخواهم")).toBe("👩\u200D🚀 می\u200Cخواهم");
});

test("where only plain text can stand, it is left out", () => {
  expect(dropUnseen(" The \u202ELamp\u2069 \n")).toBe("The Lamp");
});
