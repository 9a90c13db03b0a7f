/** Has the page kept for when there is no network, and brings in a new version of it, by sw.js. */

/**
 * A new version that has come while the page was open waits until the page is loaded again: here, before anybody has
 * begun to play, the page can make room for it. sw.js sees to it that no other window is in use.
 */
async function keep() {
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register("sw.js", { updateViaCache: "none" });
  if (registration.waiting && serviceWorker.controller) {
    serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    registration.waiting.postMessage("take over");
  }
}

// There is none over plain HTTP, and in some private windows.
if ("serviceWorker" in navigator) {
  keep().catch((error) => console.warn("the page is not kept for when there is no network:", error));
}
