// Makes src/api/schema.d.ts of what `openapi.py` writes.

import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { compile } from "json-schema-to-typescript";

const described = await text(process.stdin);
const definitions = JSON.parse(described.replaceAll("#/components/schemas/", "#/definitions/"));
for (const schema of Object.values(definitions)) {
  for (const field of Object.values(schema.properties ?? {})) delete field.title;
}
older(definitions);
const types = await compile({ title: "Schemas", definitions }, "Schemas", {
  additionalProperties: false,
  bannerComment: "/* Made by make_types.mjs of the server's own description. */",
  unreachableDefinitions: true,
  format: false,
});

/** Tuples as the generator knows them, from an older version of JSON Schema. */
function older(schema) {
  if (typeof schema !== "object" || schema === null) return;
  for (const inner of Object.values(schema)) older(inner);
  if (!Array.isArray(schema.prefixItems)) return;
  schema.items = schema.prefixItems;
  schema.additionalItems = false;
  delete schema.prefixItems;
}

await writeFile("src/api/schema.d.ts", types);
