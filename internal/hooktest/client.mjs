// Drives a server with an official TypeScript client. Standard input says which client, era, server and steps; standard output
// is a JSON array of what arrived, one element for each step.
import { readFileSync } from "node:fs";

const plan = JSON.parse(readFileSync(0, "utf8"));

async function connect() {
  const info = { name: "npm-client", version: "1" };
  const server = { command: plan.command, args: plan.args ?? [], env: plan.env ?? {}, stderr: "inherit" };
  if (plan.client === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(info, { capabilities: {} });
    await client.connect(plan.url ? new StreamableHTTPClientTransport(new URL(plan.url)) : new StdioClientTransport(server));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const mode = plan.era === "legacy" ? "legacy" : { pin: plan.era };
  const client = new Client(info, { capabilities: {}, versionNegotiation: { mode } });
  await client.connect(plan.url ? new StreamableHTTPClientTransport(new URL(plan.url)) : new StdioClientTransport(server));
  if (plan.era !== "legacy" && client.getNegotiatedProtocolVersion() !== plan.era) {
    throw new Error("negotiated " + client.getNegotiatedProtocolVersion());
  }
  return client;
}

const client = await connect();
const arrived = [];
for (const step of plan.steps) {
  try {
    const result = step.read
      ? await client.readResource({ uri: step.read })
      : await client.callTool({ name: step.call, arguments: step.arguments ?? {} });
    arrived.push({ result });
  } catch (e) {
    arrived.push({ error: { code: e.code, message: e.message, data: e.data } });
  }
}
await client.close();
console.log(JSON.stringify(arrived));
