import { isRecord } from "./objects.ts";

/** The reasons of `metav1.Status` that the sandbox answers with, by HTTP code. */
const REASONS: Record<number, string> = {
  400: "BadRequest",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  415: "UnsupportedMediaType",
  422: "Invalid",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** A `metav1.Status` of a failure. */
export interface FailureStatus {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, never>;
  status: "Failure";
  message: string;
  reason: string;
  details?: Record<string, unknown>;
  code: number;
}

/** A refusal by the API server; `status` is the body it answers with. */
export class ApiError extends Error {
  readonly status: FailureStatus;

  /** `reason` defaults to the usual one for the code. */
  constructor(
    code: number,
    message: string,
    options: { reason?: string; details?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason: options.reason ?? REASONS[code] ?? "Unknown",
      ...(options.details === undefined ? {} : { details: options.details }),
      code,
    };
  }

  /** The HTTP status code. */
  get code(): number {
    return this.status.code;
  }

  /** Reads the error out of an answer that is not a success. */
  static async from(response: Response): Promise<ApiError> {
    const text = await response.text();
    try {
      const body: unknown = JSON.parse(text);
      if (isRecord(body) && body.kind === "Status" && typeof body.message === "string") {
        return new ApiError(response.status, body.message, {
          ...(typeof body.reason === "string" ? { reason: body.reason } : {}),
        });
      }
    } catch {
      // Not JSON: the text is the message.
    }
    return new ApiError(response.status, text || response.statusText);
  }

  /** The error as an HTTP answer. */
  toResponse(): Response {
    return Response.json(this.status, { status: this.code });
  }
}

/** 404: no such object. */
export function notFound(resource: string, name: string): ApiError {
  return new ApiError(404, `${resource} "${name}" not found`, {
    details: { name, kind: resource },
  });
}

/** 409 in the words of the real API server. */
export function conflict(resource: string, name: string, why: string): ApiError {
  return new ApiError(409, `Operation cannot be fulfilled on ${resource} "${name}": ${why}`, {
    details: { name, kind: resource.split("/")[0] },
  });
}

/** 422: the object breaks a rule of its kind. */
export function invalid(kind: string, name: string, why: string): ApiError {
  return new ApiError(422, `${kind} "${name}" is invalid: ${why}`, { details: { name, kind } });
}
