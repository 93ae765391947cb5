/** The HTTP interface for programs that have a server of their own, and for the command line, which starts one. */
export { createApp, type AppOptions } from "./create-app.ts";
export { requestListener, startServer, type RunningServer, type ServerStart } from "./start-server.ts";
export { createSignIns, type SignIns, type SignInOptions, type Issued } from "./sign-ins.ts";
export { createSessionModule, type SessionModule } from "./session-module.ts";
export { webFolder } from "../index.ts";
