/**
 * What the contract's schemas are made of: valibot, and what documents say of a schema beside what it checks.
 *
 * @module
 */
import * as v from "valibot";

export * from "valibot";

/** What a document says of a schema. */
export interface About {
  /** By which others refer to it. */
  readonly id?: string;
  readonly description?: string;
  /** The schema that it has all fields of. */
  readonly base?: v.ObjectSchema<v.ObjectEntries, undefined>;
}

/** Everything that is said about schemas. */
export const about: WeakMap<v.GenericSchema, About> = new WeakMap();

/** The schema, with a name by which documents refer to it. */
export function named<Schema extends v.GenericSchema>(
  id: string,
  schema: Schema,
  description?: string,
): Schema {
  about.set(schema, {
    ...about.get(schema),
    id,
    ...(description !== undefined && { description }),
  });
  return schema;
}

/** The schema, with what documents say of it. */
export function described<Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
): Schema {
  about.set(schema, { ...about.get(schema), description });
  return schema;
}

/** The schema of objects that have some fields more than another's, or others in their place. */
export function extended<Base extends v.ObjectEntries, Own extends v.ObjectEntries>(
  base: v.ObjectSchema<Base, undefined>,
  own: Own,
) {
  const schema = object({ ...base.entries, ...own });
  const { id: _, ...inherited } = about.get(base) ?? {};
  about.set(schema, { ...inherited, base });
  return schema;
}

/** Objects; valibot takes a list for one. */
export function object<Entries extends v.ObjectEntries>(
  entries: Entries,
): v.ObjectSchema<Entries, undefined> {
  const schema = v.object(entries);
  const run = schema["~run"].bind(schema);
  const runOfObject: typeof run = (dataset, config) => {
    if (!Array.isArray(dataset.value)) return run(dataset, config);
    v._addIssue(schema, "type", dataset, config);
    return dataset as never;
  };
  return Object.assign(schema, { "~run": runOfObject });
}

/** What {@linkcode record} makes. */
export type Records<Value extends v.GenericSchema> = v.GenericSchema<
  Record<string, v.InferInput<Value>>,
  Record<string, v.InferOutput<Value>>
>;

/**
 * Records of at most so many entries, which are counted before they are looked at; those of valibot take a list for one, and
 * drop what is named as a property that every object has.
 */
export function record<Value extends v.GenericSchema>(
  key: v.GenericSchema<string>,
  value: Value,
  most = Infinity,
): Records<Value> {
  return v.pipe(
    v.custom<object>(isRecord, "must be an object"),
    v.check(
      (record: object) => Object.keys(record).length <= most,
      `must not have more than ${most} entries`,
    ),
    v.transform((record: object) => new Map(Object.entries(record))),
    v.map(key, value),
    v.transform((entries) => Object.fromEntries(entries)),
  ) as v.GenericSchema as Records<Value>;
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
