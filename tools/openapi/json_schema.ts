/**
 * What an OpenAPI document says of a schema.
 *
 * @module
 */
import { about } from "../../shared/contract/zod.ts";
import type * as z from "../../shared/contract/zod.ts";

/** A schema as JSON Schema has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that have names, by these, in the order in which they are met. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** A reference to a schema that has a name, which is a component from then on; any other one itself. */
  schemaOf(schema: z.core.$ZodType): JsonSchema {
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

  #bodyOf(schema: z.core.$ZodType): JsonSchema {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const base = about.get(schema)?.base;
    switch (def.type) {
      case "optional":
        return this.schemaOf(def.innerType);
      case "default":
        return withDefault(this.schemaOf(def.innerType), def.defaultValue);
      // What is done before is no matter of a document.
      case "pipe":
        return this.schemaOf(def.out);
      case "object":
        return base === undefined
          ? this.#objectOf(def.shape)
          : this.#extensionOf(def.shape, base as z.core.$ZodObject);
      case "array":
        return { type: "array", items: this.schemaOf(def.element), ...rulesOf(schema) };
      case "record":
        return { type: "object", additionalProperties: this.schemaOf(def.valueType) };
      case "enum":
        return { type: "string", enum: Object.values(def.entries) };
      case "string":
        return { type: "string", ...rulesOf(schema) };
      case "number":
        return { type: "number", ...rulesOf(schema) };
      case "boolean":
        return { type: "boolean" };
      default:
        throw new TypeError(
          `A document has no words for a schema of type "${def.type}": add them here`,
        );
    }
  }

  /** What a schema has beside its base, after all that both refer to. */
  #extensionOf(shape: z.core.$ZodShape, base: z.core.$ZodObject): JsonSchema {
    this.#objectOf(shape);
    const inherited = base._zod.def.shape;
    const own = Object.entries(shape).filter(([name, field]) => inherited[name] !== field);
    return { allOf: [this.schemaOf(base), this.#objectOf(Object.fromEntries(own))] };
  }

  #objectOf(shape: z.core.$ZodShape): JsonSchema {
    const fields = Object.entries(shape);
    const properties = fields.map(([name, field]) => [name, this.schemaOf(field)]);
    const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  }
}

/** Whether an object must have a field of this schema. */
export function isRequired(schema: z.core.$ZodType): boolean {
  return !["optional", "default"].includes(schema._zod.def.type);
}

/** A reference says nothing itself: what is said beside it is a schema of its own. */
function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined) return schema;
  return "$ref" in schema ? { allOf: [schema, { description }] } : { ...schema, description };
}

function withDefault(schema: JsonSchema, value: unknown): JsonSchema {
  return { ...schema, default: value };
}

/** What is checked of a value, as JSON Schema has it. */
function rulesOf(schema: z.core.$ZodType): JsonSchema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const checks = [def, ...(def.checks ?? []).map((check) => check._zod.def)] as Check[];
  const rules = checks.map((check): JsonSchema => {
    switch (check.check) {
      case "min_length":
        return { [def.type === "array" ? "minItems" : "minLength"]: check.minimum };
      case "max_length":
        return { [def.type === "array" ? "maxItems" : "maxLength"]: check.maximum };
      case "greater_than":
        return { [check.inclusive ? "minimum" : "exclusiveMinimum"]: check.value };
      case "less_than":
        return { [check.inclusive ? "maximum" : "exclusiveMaximum"]: check.value };
      case "number_format":
        return { type: "integer" };
      case "string_format":
        return check.format === "datetime"
          ? { format: "date-time" }
          : { pattern: check.pattern?.source };
      // A rule of the contract's own, of which JSON Schema has none.
      default:
        return {};
    }
  });
  return Object.fromEntries(
    rules.flatMap(Object.entries).sort(([a], [b]) => ruleOrder.indexOf(a) - ruleOrder.indexOf(b)),
  );
}

const ruleOrder = [
  ...["type", "minLength", "maxLength", "minItems", "maxItems"],
  ...["exclusiveMinimum", "minimum", "maximum", "exclusiveMaximum", "format", "pattern"],
];

/** Of zod's checks, and of schemas that are checks too. */
type Check =
  | z.core.$ZodCheckMinLengthDef
  | z.core.$ZodCheckMaxLengthDef
  | z.core.$ZodCheckGreaterThanDef
  | z.core.$ZodCheckLessThanDef
  | z.core.$ZodCheckNumberFormatDef
  | z.core.$ZodCheckStringFormatDef
  | { readonly check?: undefined };
