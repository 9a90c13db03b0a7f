/** Registers the service worker (sw.js), with which the page loads without a network. */

/**
 * Registers the service worker. A new version that was installed while the page was open waits. A
 * page that has just loaded asks it to take over; sw.js does so only if no other window is open.
 */
async function registerWorker() {
  const { serviceWorker } = navigator;
  const { waiting } = await serviceWorker.register("sw.js", { updateViaCache: "none" });
  if (serviceWorker.controller && waiting) {
    serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    waiting.postMessage("take over");
  }
}

// Browsers have no service workers over plain HTTP and in some private windows.
const isEmbedded = document.documentElement.dataset.embed === "true";
if ("serviceWorker" in navigator && !isEmbedded) {
  registerWorker().catch((error) => console.warn("the page does not work offline:", error));
}
