/**
 * What a request says, as far as it follows the contract: whatever does not is a problem.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { check } from "../contract/check.ts";
import type * as v from "../contract/valibot.ts";
import { badFields } from "./problem.ts";
import type { StageEnv } from "./stage_env.ts";
import { wellFormed } from "./well_formed.ts";

const jsonType = /^application\/([a-z.-]+\+)?json(;\s*[a-z0-9-]+=[^;]+)*$/i;

/** What a middleware gives to the handler after it, and a typed client to the middleware. */
type Valid<Target extends "json" | "query", Schema extends v.GenericSchema> = MiddlewareHandler<
  StageEnv,
  string,
  {
    in: { [target in Target]: v.InferInput<Schema> };
    out: { [target in Target]: v.InferOutput<Schema> };
  }
>;

/**
 * Takes a body by its schema.
 *
 * @throws {HTTPException} 415 for a body that does not say that it is JSON, 400 for one that is none.
 */
export function validJson<Schema extends v.GenericSchema>(schema: Schema): Valid<"json", Schema> {
  return async (c, next) => {
    const type = c.req.header("content-type");
    if (type ? !jsonType.test(type) : await c.req.text() !== "") {
      const message = 'The body does not say that it is JSON: send content-type "application/json"';
      throw new HTTPException(415, { message });
    }
    const body = type ? jsonOf(await c.req.text()) : {};
    const { success, output, issues } = check(schema, body);
    if (!success) return badFields(c, { where: "body", issues });
    c.req.addValidatedData("json", output as object);
    await next();
  };
}

/** Takes the parameters of a query by their schema. */
export function validQuery<Schema extends v.GenericSchema>(schema: Schema): Valid<"query", Schema> {
  return async (c, next) => {
    const query = Object.entries(c.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]);
    const { success, output, issues } = check(schema, Object.fromEntries(query));
    if (!success) return badFields(c, { where: "query", issues });
    c.req.addValidatedData("query", output as object);
    await next();
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(wellFormed(text));
  } catch {
    throw new HTTPException(400, { message: "Malformed JSON in request body" });
  }
}
