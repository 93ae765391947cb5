/** The routes about the host itself: its health, the assets it keeps, the tools it has mounted and what they may do. */
import { z } from "zod";
import { isRefusal, type SessionService, type ToolDirectory } from "../index.ts";
import { sendAsset } from "./asset-file.ts";
import { problem } from "./problem.ts";
import { route, type Route } from "./route.ts";
import { granted, toolList } from "./view-schemas.ts";

const NO_TOOLS = problem(404, "this server does not manage tools");
const capability = z.string().min(1).max(500);
const whichStory = z.object({
  story: z
    .string()
    .min(1)
    .optional()
    .describe("The folder of the story; needed where several have a mount of that name."),
});

export function hostRoutes(sessions: SessionService, tools: ToolDirectory | undefined): Route[] {
  return [
    route({
      method: "get",
      path: "/api/health",
      name: "health",
      summary: "Whether the server is there; needs no token.",
      status: 200,
      answers: z.object({ status: z.literal("ok") }),
      handle: () => ({ status: "ok" }),
    }),
    route({
      method: "get",
      path: "/api/assets/:assetId",
      name: "readAsset",
      summary: "The bytes of an asset, whole or a range.",
      status: 200,
      answers: "*/*",
      handle: async ({ c, params }) => {
        const asset = await sessions.asset(params.assetId);
        return isRefusal(asset) ? asset : sendAsset(c, { id: params.assetId, ...asset });
      },
    }),
    route({
      method: "get",
      path: "/api/tools",
      name: "listTools",
      summary: "What is mounted, and what it may do.",
      status: 200,
      answers: toolList,
      handle: () => tools?.list() ?? NO_TOOLS,
    }),
    route({
      method: "post",
      path: "/api/tools/:name/grants",
      name: "grant",
      summary: "Grants a tool a capability.",
      query: whichStory,
      body: z.object({ capability }),
      status: 200,
      answers: granted,
      handle: ({ params, query, body }) => tools?.grant({ ...params, ...query }, body.capability) ?? NO_TOOLS,
    }),
    route({
      method: "delete",
      path: "/api/tools/:name/grants",
      name: "revoke",
      summary: "Takes a capability away from a tool.",
      query: whichStory,
      body: z.object({ capability }),
      status: 200,
      answers: granted,
      handle: ({ params, query, body }) => tools?.revoke({ ...params, ...query }, body.capability) ?? NO_TOOLS,
    }),
  ];
}
