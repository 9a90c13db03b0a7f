/** Registers the service worker (sw.js), which makes the page work offline and updates it. */

/**
 * Reloads the page if its version is not that of the active service worker, now or later.
 *
 * @param {ServiceWorker} controller
 * @param {string} version of the page
 */
async function reloadOnNewVersion(controller, version) {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  const { port1: port, port2: replyPort } = new MessageChannel();
  const activeVersion = new Promise((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  controller.postMessage("version", [replyPort]);
  if ((await activeVersion) !== version) {
    location.reload();
  }
}

/**
 * Registers the service worker. A new version that was installed while the page was open waits. A
 * page that has just loaded asks it to take over; sw.js does so only if no other window is open.
 */
async function registerWorker() {
  const { serviceWorker } = navigator;
  const { controller } = serviceWorker;
  const { version } = document.documentElement.dataset;
  if (controller && version) {
    void reloadOnNewVersion(controller, version);
  }
  const registration = await serviceWorker.register("sw.js", { updateViaCache: "none" });
  if (controller) {
    registration.waiting?.postMessage("take over");
  }
}

// Browsers have no service workers over plain HTTP and in some private windows.
if ("serviceWorker" in navigator) {
  registerWorker().catch((error) => console.warn("the page does not work offline:", error));
}
