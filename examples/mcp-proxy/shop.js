// An MCP server for the tests: each payment is a line of the file LEDGER. While the file HOLD exists, it gives no answer.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const { LEDGER, HOLD } = process.env;
const ledger = () => (existsSync(LEDGER) ? readFileSync(LEDGER, "utf8").split("\n").filter(Boolean) : []);
const text = (value, isError = false) => ({ content: [{ type: "text", text: value }], isError });
const server = new McpServer({ name: "shop", version: "1" });
const inputSchema = { order: z.string() };

server.registerTool("pay", { inputSchema }, async ({ order }) => {
  if (order === "declined") return text("the card was declined", true);
  appendFileSync(LEDGER, `${order}\n`);
  while (existsSync(HOLD)) await setTimeout(10);
  return text(`paid ${order}, receipt ${ledger().length}`);
});
server.registerTool("find_payment", { inputSchema, annotations: { readOnlyHint: true } }, async ({ order }) =>
  ledger().includes(order) ? text(`found ${order}`) : text(`no payment of ${order}`, true),
);
server.registerTool("count", { annotations: { readOnlyHint: true } }, async () => text(String(ledger().length)));
process.stdin.on("end", () => process.exit());
await server.connect(new StdioServerTransport());
