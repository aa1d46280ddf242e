/**
 * What the contract's schemas are made of: the form of zod that leaves out of a bundle what no schema uses. It says in English
 * what is wrong, and what is written about a schema is for documents alone.
 *
 * @module
 */
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";

export * from "zod/mini";

z.config(english());

/**
 * Objects, whose fields are made when the first one is read: an isolate makes those alone that its calls have, and its first
 * answer does not wait for the others.
 */
export function object<Shape extends z.core.$ZodLooseShape>(
  fields: () => Shape,
): z.ZodMiniObject<Shape, z.core.$strip> {
  let shape: Shape | undefined;
  const made: z.ZodMiniType = new z.ZodMiniObject({
    type: "object",
    get shape() {
      return shape ??= fields();
    },
  });
  return made as z.ZodMiniObject<Shape, z.core.$strip>;
}

/** What a document says of a schema. */
export interface About {
  /** By which others refer to it. */
  readonly id?: string;
  readonly description?: string;
  /** The schema that it has all fields of. */
  readonly base?: z.core.$ZodType;
}

/** Everything that is said about schemas. */
export const about: WeakMap<z.core.$ZodType, About> = new WeakMap();

/** The schema, with a name by which documents refer to it. */
export function named<Schema extends z.ZodMiniType>(
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
export function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
): Schema {
  about.set(schema, { ...about.get(schema), description });
  return schema;
}

/** The schema of objects that have some fields more than another's, or others in their place. */
export function extended<Base extends z.ZodMiniObject, Shape extends z.core.$ZodLooseShape>(
  base: Base,
  shape: Shape,
) {
  const schema = z.extend(base, shape);
  const { id: _, ...inherited } = about.get(base) ?? {};
  about.set(schema, { ...inherited, base });
  return schema;
}
