// Answers requests, one JSON line each, with the packages that stand in node_modules beside this file.
"use strict";
const fs = require("fs");
const readline = require("readline");

const Ajv = require("ajv");
const Ajv2019 = require("ajv/dist/2019");
const Ajv2020 = require("ajv/dist/2020");
const differ = require("json-schema-diff");
let jsoncompat;

const options = { strict: false, validateFormats: false, logger: false, validateSchema: false };

function ajvFor(dialect) {
  if (dialect.includes("2020-12")) return new Ajv2020(options);
  if (dialect.includes("2019-09")) return new Ajv2019(options);
  return new Ajv(options);
}

function compile(dialect, schema) {
  return ajvFor(dialect).compile(schema);
}

const deciders = {
  jsoncompat: (producer, consumer) => jsoncompat.check_compat(producer, consumer, "deserializer"),
  "json-schema-diff": async (producer, consumer) => {
    const r = await differ.diffSchemas({ sourceSchema: JSON.parse(producer), destinationSchema: JSON.parse(consumer) });
    return !r.removalsFound;
  },
};

function cpu(start) {
  const used = process.cpuUsage(start);
  return start ? (used.user + used.system) * 1000 : used;
}

const operations = {
  version: async () => process.version,
  decide: async (q) => await deciders[q.tool](q.producer, q.consumer),
  time: async (q) => {
    const decide = deciders[q.tool];
    const start = cpu();
    if (q.tool === "jsoncompat") for (let i = 0; i < q.n; i++) decide(q.producer, q.consumer);
    else for (let i = 0; i < q.n; i++) await decide(q.producer, q.consumer);
    return cpu(start) / q.n;
  },
  judge: async (q) => {
    const [producer, consumer] = q.schemas.map((s) => compile(q.dialect, JSON.parse(s)));
    return q.values.map((text) => {
      const value = JSON.parse(text);
      return [producer(value), consumer(value)];
    });
  },
  generate: async (q) => {
    const generator = jsoncompat.generator_for(q.schema);
    const values = new Set();
    try {
      for (let i = 0; i < q.n; i++) values.add(generator.generate_value(3));
    } catch {
      // A schema that it cannot satisfy: what was made so far has to do.
    } finally {
      generator.free();
    }
    return [...values];
  },
  // The verdicts of one schema, and the times of compiling it and of one value.
  validate: async (q) => {
    const parsed = JSON.parse(q.schema);
    const values = q.values.map((v) => JSON.parse(v));
    const validate = compile(q.dialect, parsed);
    const verdicts = values.map((v) => validate(v));
    let start = cpu();
    for (let i = 0; i < q.compiles; i++) compile(q.dialect, parsed);
    const compiling = cpu(start) / q.compiles;
    start = cpu();
    for (let i = 0; i < q.rounds; i++) for (const v of values) validate(v);
    return { verdicts, compiling, validating: cpu(start) / (q.rounds * values.length) };
  },
};

(async () => {
  jsoncompat = await import("jsoncompat");
  jsoncompat.initSync({ module: fs.readFileSync(require("path").join(__dirname, "node_modules/jsoncompat/jsoncompat_wasm_bg.wasm")) });
  // The machine code is made while it runs: not on the time of the first pair.
  for (let i = 0; i < 10; i++) {
    for (const decide of Object.values(deciders)) {
      await decide('{"type":"object","properties":{"a":{"type":"string"}}}', '{"type":"object","properties":{"a":{"enum":["x","y"]}}}');
    }
  }
  process.stdout.write("ready\n");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
      const q = JSON.parse(line);
      answer = { result: await operations[q.op](q) };
    } catch (e) {
      answer = { error: String((e && e.message) || e) || "unknown" };
    }
    process.stdout.write(JSON.stringify(answer) + "\n");
  }
})();
