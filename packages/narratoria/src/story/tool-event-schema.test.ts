import type { ToolEvent, ToolInput } from "@narratoria/tool/protocol";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { toolEventSchema } from "./tool-event-schema.ts";
import type { toolInputSchema } from "./tool-input-schema.ts";

test("[T3.1] the schema says what the protocol's types say", () => {
  expectTypeOf<z.output<typeof toolEventSchema>>().toEqualTypeOf<ToolEvent>();
  expectTypeOf<z.input<typeof toolEventSchema>>().toEqualTypeOf<ToolEvent>();
});

test("[T1.3] so does the schema of the tool's input", () => {
  expectTypeOf<z.output<typeof toolInputSchema>>().toEqualTypeOf<ToolInput>();
});
