// @ts-nocheck: it runs in a browser.
// Refreshes the parts of the page that changed. What has the focus, a selection or an open menu stays as it is.
const INTERVAL_MS = 1500;

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
  const response = await fetch(location.href, { cache: "no-store" });
  if (!response.ok) return response.status;
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
  // The page says the time without seconds.
  showTime();
  return response.status;
}

async function loop() {
  const status = document.hidden ? 200 : await refresh().catch(() => 0);
  document.body.classList.toggle("stale", status === 0 || status === 401);
  if (status === 401) return;
  setTimeout(loop, status === 0 ? INTERVAL_MS * 4 : INTERVAL_MS);
}

// A running clock goes on between two refreshes: a page that did not change is not sent again.
let shown = null;
function showTime() {
  const time = document.querySelector(".clock:has(.running) time");
  if (!time) return;
  if (shown?.time !== time) shown = { time, at: Date.parse(time.dateTime), since: performance.now() };
  const now = new Date(shown.at + performance.now() - shown.since).toISOString();
  time.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)} UTC`;
}

showTime();
setInterval(showTime, 250);
setTimeout(loop, INTERVAL_MS);
