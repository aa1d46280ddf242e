/**
 * The error as the caller in another place gets it: message, name, own properties and built-in class, but not a
 * class of one's own, and marked `remote`. What is thrown and is no Error becomes the message of one.
 */
export function remoteError(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return mark(new Error(String(thrown)));
  const BuiltIn = builtIns.find((candidate) => candidate.name === thrown.name) ?? Error;
  const error = new BuiltIn(thrown.message);
  for (const [name, value] of Object.entries(thrown)) {
    if (typeof value !== "function") {
      Object.defineProperty(error, name, { value, enumerable: true });
    }
  }
  if (error.name !== thrown.name) Object.defineProperty(error, "name", { value: thrown.name });
  if (thrown.stack !== undefined) error.stack = thrown.stack;
  return mark(error);
}

const builtIns = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function mark(error: Error): Error {
  return Object.defineProperty(error, "remote", { value: true, enumerable: true });
}
