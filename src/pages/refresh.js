// @ts-nocheck: it runs in a browser.
// Refreshes the parts of the page that changed. What has the focus, a selection or an open menu stays as it is.
const INTERVAL_MS = 1500;
let etag = "";

const keepsStill = (part) => {
  const selection = getSelection();
  const isSelected = selection && !selection.isCollapsed && part.contains(selection.anchorNode);
  const { activeElement } = document;
  return isSelected || (part.contains(activeElement) && activeElement.matches("input, select, textarea"));
};

const focusPath = (part) => {
  const { activeElement } = document;
  if (!part.contains(activeElement)) return null;
  const label = activeElement.getAttribute("href") ?? activeElement.getAttribute("value");
  return label === null ? null : `[href="${CSS.escape(label)}"], [value="${CSS.escape(label)}"]`;
};

async function refresh() {
  const response = await fetch(location.href, { cache: "no-store", headers: { "If-None-Match": etag } });
  if (response.status === 304 || !response.ok) return response.status;
  etag = response.headers.get("ETag") ?? "";
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = next.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!fresh || fresh.innerHTML === part.innerHTML || keepsStill(part)) continue;
    const focused = focusPath(part);
    const scrolls = [...part.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll(".scroll").forEach((box, index) => {
      box.scrollLeft = scrolls[index] ?? box.scrollLeft;
    });
    if (focused) part.querySelector(focused)?.focus({ preventScroll: true });
  }
  return response.status;
}

async function loop() {
  const status = document.hidden ? 200 : await refresh().catch(() => 0);
  document.body.classList.toggle("stale", status === 0 || status === 401);
  if (status === 401) return;
  setTimeout(loop, status === 0 ? INTERVAL_MS * 4 : INTERVAL_MS);
}

for (const box of document.querySelectorAll(".lanes .scroll")) box.scrollLeft = box.scrollWidth;
setTimeout(loop, INTERVAL_MS);
