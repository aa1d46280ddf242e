// Keeps a document of the page as it is now: fetches it again when the server says that something has changed, and puts
// what differs in its place, so that focus, selection and scroll position stay.

/** The document is fetched no more often than this, in ms. */
const restMs = 1000;
/** What was refused is tried again after this time, in ms. */
const retryMs = 5000;
/** Nothing is waited for longer than this, in ms. */
const longestMs = 15_000;

const state = document.getElementById("live");
let source;
let shown;
let wanted;
let isFetching = false;

/** Says whether the page follows what happens; a change of it is read aloud. */
function say(isLive, text) {
  if (state.textContent === text) return;
  state.textContent = text;
  state.className = isLive ? "live on" : "live off";
}

function listen() {
  source?.close();
  source = new EventSource("/page/changes");
  source.addEventListener("changed", ({ data }) => {
    wanted = data;
    refresh();
  });
  source.addEventListener("end", () => {
    // How long ago things were has changed at least.
    shown = undefined;
    listen();
  });
  source.addEventListener("error", () => {
    say(false, "Not live: trying again");
    if (source.readyState === EventSource.CLOSED) setTimeout(listenIfSeen, retryMs);
  });
}

/** Nobody looks at a hidden page, and each that is open costs calls. */
function listenIfSeen() {
  if (document.visibilityState === "visible") listen();
  else source?.close();
}

async function refresh() {
  if (isFetching || wanted === shown) return;
  isFetching = true;
  const version = wanted;
  let rest = restMs;
  try {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(longestMs) });
    if (response.status === 401) location.reload();
    if (response.status >= 500) throw new Error(`HTTP ${response.status}`);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    liken(document.getElementById("main"), fresh.getElementById("main"));
    shown = version;
    say(true, "Live");
  } catch {
    say(false, "Not live: trying again");
    rest = retryMs;
  }
  await new Promise((resolve) => setTimeout(resolve, rest));
  isFetching = false;
  refresh();
}

/** Makes an element like another one, and touches nothing that is alike already. */
function liken(ours, theirs) {
  if (ours.isEqualNode(theirs)) return;
  for (const { name } of [...ours.attributes]) {
    if (!theirs.hasAttribute(name)) ours.removeAttribute(name);
  }
  for (const { name, value } of theirs.attributes) ours.setAttribute(name, value);
  const known = new Map(
    [...ours.children].filter(({ id }) => id).map((child) => [child.id, child]),
  );
  // What leaves goes first: all that follows would move, and what moves loses focus and selection.
  const stays = new Set([...theirs.children].map(({ id }) => id));
  for (const [id, child] of known) if (!stays.has(id)) child.remove();
  ours.normalize();
  let next = ours.firstChild;
  for (const child of [...theirs.childNodes]) {
    const own = known.get(child.id) ?? (next && !next.id && !child.id ? next : undefined);
    if (own === undefined || own.nodeName !== child.nodeName) {
      ours.insertBefore(child, next);
      continue;
    }
    if (own === next) next = next.nextSibling;
    else moveBefore(own, next);
    if (own.nodeType === Node.ELEMENT_NODE) liken(own, child);
    else if (own.nodeValue !== child.nodeValue) own.nodeValue = child.nodeValue;
  }
  while (next) {
    const rest = next.nextSibling;
    next.remove();
    next = rest;
  }
}

function moveBefore(node, next) {
  const focused = node.contains(document.activeElement) ? document.activeElement : undefined;
  node.parentNode.insertBefore(node, next);
  focused?.focus({ preventScroll: true });
}

document.addEventListener("visibilitychange", listenIfSeen);
listenIfSeen();
