// Refreshes what is marked as live, fills in local times, and copies ids. Every page works without it.
"use strict";

const EVERY_MS = 2500;
const skewMs = Date.now() - Date.parse(document.body.dataset.now ?? new Date().toISOString());

function distance(from) {
  const ms = Date.now() - skewMs - from;
  const seconds = Math.floor(Math.abs(ms) / 1000);
  if (seconds < 1) return "now";
  const text =
    seconds < 120 ? `${seconds} s`
    : seconds < 7200 ? `${Math.floor(seconds / 60)} min`
    : seconds < 172800 ? `${Math.floor(seconds / 3600)} h`
    : `${Math.floor(seconds / 86400)} d`;
  return ms < 0 ? `in ${text}` : `${text} ago`;
}

function showTimes() {
  for (const time of document.querySelectorAll("time")) {
    const at = Date.parse(time.dateTime);
    const text = distance(at);
    if (time.textContent !== text) time.textContent = text;
    if (!time.dataset.local) {
      time.dataset.local = "yes";
      time.title += ` (${new Date(at).toLocaleString()} here)`;
    }
  }
}

function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  // a plain-http page has no clipboard API
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  return Promise.resolve();
}

function offerCopies() {
  for (const element of document.querySelectorAll("[data-copy]:not([data-copied])")) {
    element.dataset.copied = "no";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await copyText(element.textContent.trim());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    element.after(button);
  }
}

function isUsed(region) {
  const selection = window.getSelection();
  return (selection && !selection.isCollapsed && region.contains(selection.anchorNode))
    || (region.contains(document.activeElement) && document.activeElement.matches("input, select, textarea"));
}

function replace(region, fresh) {
  if (region.innerHTML === fresh.innerHTML) return;
  const open = [...region.querySelectorAll("details[open][id]")].map(each => each.id);
  const focused = region.contains(document.activeElement) ? focusPath(region, document.activeElement) : null;
  region.replaceWith(fresh);
  for (const id of open) fresh.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
  if (focused !== null) fresh.querySelectorAll("a, button, summary, [tabindex]")[focused]?.focus();
}

function focusPath(region, element) {
  const index = [...region.querySelectorAll("a, button, summary, [tabindex]")].indexOf(element);
  return index < 0 ? null : index;
}

let etag = document.body.dataset.etag;

async function refresh() {
  const answer = await fetch(location.href, {
    headers: { "If-None-Match": etag },
    cache: "no-store",
    redirect: "manual",
    signal: AbortSignal.timeout(15000),
  });
  document.getElementById("stale").hidden = true;
  if (answer.status === 304) return;
  if (answer.type === "opaqueredirect") {
    // the session has ended
    location.reload();
    return;
  }
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  let all = true;
  for (const region of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(region.id);
    if (fresh && isUsed(region)) all = false;
    else if (fresh) replace(region, document.adoptNode(fresh));
  }
  if (all) etag = page.body.dataset.etag;
  showTimes();
  offerCopies();
}

let timer = null;

function schedule() {
  clearTimeout(timer);
  if (document.hidden || !document.querySelector("[data-live]")) return;
  timer = setTimeout(async () => {
    try {
      await refresh();
    } catch {
      document.getElementById("stale").hidden = false;
    }
    schedule();
  }, EVERY_MS);
}

document.addEventListener("visibilitychange", schedule);
setInterval(() => { if (!document.hidden) showTimes(); }, 1000);
showTimes();
offerCopies();
schedule();
