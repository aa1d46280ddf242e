import { ApiError } from "./api_error.ts";

/** Sends one request to the API server and returns the parsed answer; throws `ApiError` for a refusal. */
export async function callApi(
  url: string,
  options: { method?: string; body?: unknown; contentType?: string } = {},
): Promise<unknown> {
  const { method = "GET", body, contentType = "application/json" } = options;
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": contentType } }),
  });
  if (!response.ok) throw await ApiError.from(response);
  return await response.json();
}

/** The content type of a strategic merge patch. */
export const STRATEGIC_MERGE = "application/strategic-merge-patch+json";
