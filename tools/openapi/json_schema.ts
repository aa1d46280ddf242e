/**
 * What an OpenAPI document says of a schema.
 *
 * @module
 */
import { type About, about } from "../../shared/contract/valibot.ts";
import type * as v from "../../shared/contract/valibot.ts";

/** A schema as JSON Schema has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that have names, by these, in the order in which they are met. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** A reference to a schema that has a name, which is a component from then on; any other one itself. */
  schemaOf(schema: v.GenericSchema): JsonSchema {
    const said = about.get(schema);
    if (said?.id === undefined) return withDescription(this.#bodyOf(schema), said?.description);
    const { id, description } = said;
    if (!(id in this.schemas)) {
      // It keeps its place before those that it refers to.
      this.schemas[id] = {};
      this.schemas[id] = withDescription(this.#bodyOf(schema), description);
    }
    return { $ref: `#/components/schemas/${id}` };
  }

  #bodyOf(schema: v.GenericSchema): JsonSchema {
    const known = schema as Known;
    if (known.pipe) return this.#pipeOf(known.pipe);
    switch (known.type) {
      case "optional":
        return withDefault(this.schemaOf(known.wrapped), known.default);
      case "object":
        return this.#objectOf(known.entries, about.get(schema)?.base);
      case "array":
        return { type: "array", items: this.schemaOf(known.item) };
      // Of a record.
      case "map":
        return { type: "object", additionalProperties: this.schemaOf(known.value) };
      case "picklist":
        return { type: "string", enum: known.options };
      case "string":
      case "number":
      case "boolean":
        return { type: known.type };
      default:
        throw new TypeError(
          `A document has no words for a schema of type "${schema.type}": add them here`,
        );
    }
  }

  /** What comes out of it, and the rules for that; what is looked at before is no matter of a document. */
  #pipeOf(pipe: readonly Step[]): JsonSchema {
    const schema = pipe.findLast((step) => step.kind === "schema") as v.GenericSchema;
    const body = this.schemaOf(schema);
    const rules = pipe.map((step) => ruleOf(step, body["type"]));
    const said = Object.entries(Object.assign({}, body, ...rules));
    return Object.fromEntries(said.sort(([a], [b]) => orderOf(a) - orderOf(b)));
  }

  #objectOf(entries: v.ObjectEntries, base: About["base"]): JsonSchema {
    const fields = Object.entries(entries as Record<string, v.GenericSchema>);
    const properties = fields.map(([name, field]) => [name, this.schemaOf(field)]);
    const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
    if (base) {
      // What it has beside its base, after all that both refer to.
      const inherited = base.entries as Record<string, v.GenericSchema>;
      const own = fields.filter(([name, field]) => inherited[name] !== field);
      return { allOf: [this.schemaOf(base), this.#objectOf(Object.fromEntries(own), undefined)] };
    }
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  }
}

/** Whether an object must have a field of this schema. */
export function isRequired(schema: v.GenericSchema): boolean {
  return schema.type !== "optional";
}

/** A reference says nothing itself: what is said beside it is a schema of its own. */
function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined) return schema;
  return "$ref" in schema ? { allOf: [schema, { description }] } : { ...schema, description };
}

function withDefault(schema: JsonSchema, value: unknown): JsonSchema {
  return value === undefined ? schema : { ...schema, default: value };
}

/** What is checked of a value, as JSON Schema has it. */
function ruleOf({ type, requirement }: Step, of: unknown): JsonSchema {
  switch (type) {
    case "min_length":
      return { [of === "array" ? "minItems" : "minLength"]: requirement };
    case "max_length":
      return { [of === "array" ? "maxItems" : "maxLength"]: requirement };
    case "min_value":
      return { minimum: requirement };
    case "gt_value":
      return { exclusiveMinimum: requirement };
    case "max_value":
      return { maximum: requirement };
    case "safe_integer":
      return { type: "integer" };
    case "iso_timestamp":
      return { format: "date-time" };
    case "regex":
      return { pattern: (requirement as RegExp).source };
    // A rule of the contract's own, of which JSON Schema has none.
    default:
      return {};
  }
}

/** What is said of the content stands between the type and the rules. */
function orderOf(word: string): number {
  return word === "type" ? -2 : ruleOrder.indexOf(word);
}

const ruleOrder = [
  ...["minLength", "maxLength", "minItems", "maxItems"],
  ...["exclusiveMinimum", "minimum", "maximum", "exclusiveMaximum", "format", "pattern"],
];

/** Of a pipe: a schema, or what is done with a value. */
interface Step {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
}

/** Schemas that documents have words for. */
type Known =
  & { readonly pipe?: readonly Step[] }
  & (
    | { readonly type: "optional"; readonly wrapped: v.GenericSchema; readonly default: unknown }
    | { readonly type: "object"; readonly entries: v.ObjectEntries }
    | { readonly type: "array"; readonly item: v.GenericSchema }
    | { readonly type: "map"; readonly value: v.GenericSchema }
    | { readonly type: "picklist"; readonly options: readonly string[] }
    | { readonly type: "string" | "number" | "boolean" }
  );
