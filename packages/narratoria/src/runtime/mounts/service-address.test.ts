import { expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import { shownAddress, takeCredentials } from "./service-address.ts";

const take = (url?: string) =>
  takeCredentials({ name: "it", transport: { type: "http", ...(url && { url }) } } as ModuleDescriptor);
const basic = (text: string): string => Buffer.from(text).toString("base64");

test.each([undefined, "http://example.org/run?key=1"])(
  "[Z1.6] an address without credentials stays as it is: %s",
  (url) => {
    const { descriptor, credentials } = take(url);
    expect(credentials).toBeNull();
    expect(descriptor.transport.url).toBe(url);
  },
);

test.each<[what: string, url: string, pair: string, secrets: string[]]>([
  ["name and password", "http://me:pa55@example.org/run", "me:pa55", ["pa55"]],
  ["a token", "http://t0ken@example.org/run", "t0ken:", ["t0ken"]],
  ["a password alone", "http://:pa55@example.org/run", ":pa55", ["pa55"]],
  ["spelled characters", "http://m%20e:p%40ss@example.org/run", "m e:p@ss", ["p%40ss", "p@ss"]],
  ["what is no spelling", "http://me:100%@example.org/run", "me:100%", ["100%"]],
])("[Z1.6] %s become a header and secrets, and leave the address", (_, url, pair, secrets) => {
  const { descriptor, credentials } = take(url);
  expect(descriptor).toEqual({ name: "it", transport: { type: "http", url: "http://example.org/run" } });
  expect(credentials).toEqual({ authorization: `Basic ${basic(pair)}`, secrets: [basic(pair), ...secrets] });
});

test("[Z1.6] what stands in a query is not shown", () => {
  expect(shownAddress("https://example.org:8443/a/b?key=1#x")).toBe("https://example.org:8443/a/b?...");
  expect(shownAddress("http://example.org/a")).toBe("http://example.org/a");
});
