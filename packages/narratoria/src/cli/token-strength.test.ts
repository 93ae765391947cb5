import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bitsOfToken, STRONG_BITS } from "./token-strength.ts";

describe("[Z1.1] a token that others may try", () => {
  test.each([
    "0123456789abcdef0123456789abcdef",
    "fedcba98765432100123456789abcdef",
    "00112233445566778899aabbccddeeff",
    "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeee",
    "deadbeefdeadbeefdeadbeefdeadbeef",
    "12345678901234567890123456789012345678901234567890",
    "qwertyuiopasdfghjklzxcvbnmqwertyuiop",
    "QwErTyUiOpAsDfGhJkLzXcVbNm1234567890",
    "correct-horse-battery-staple-and-so-on",
    "thisisthesecretofthehouseonthehill",
    "MyVeryOwnSecretTokenForNarratoria2026!",
    "narratoria-narratoria-narratoria",
    "password".repeat(8),
    "abcabcabcabcabcabcabcabcabcabcabcabcabc",
    "7f3a".repeat(12),
    "short-but-r4ndom",
    "9f86d081884c7d65",
  ])("%s is too easy to find", (token) => {
    expect(bitsOfToken(token)).toBeLessThan(STRONG_BITS);
  });

  test("what was drawn by lot is strong, in every usual spelling", () => {
    const weak: string[] = [];
    for (let number = 0; number < 500; number++) {
      const bytes = createHash("sha256").update(`drawn ${number}`).digest();
      const sixteen = bytes.subarray(0, 16);
      const spelled = [sixteen.toString("hex"), bytes.toString("base64"), bytes.subarray(0, 18).toString("base64url")];
      weak.push(...spelled.filter((token) => bitsOfToken(token) < STRONG_BITS));
    }
    expect(weak).toEqual([]);
  });
});
