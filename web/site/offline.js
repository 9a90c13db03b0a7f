/** Has the page kept for when there is no network, and brings in a new version of it, by sw.js. */

/**
 * Loads the page again if it is not of the version that its files come from now, or as soon as it no longer is.
 *
 * @param {ServiceWorker} controller
 * @param {string} version of the page
 */
async function staysWhole(controller, version) {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  const { port1: answer, port2: asking } = new MessageChannel();
  const told = new Promise((resolve) => (answer.onmessage = ({ data }) => resolve(data)));
  controller.postMessage("version", [asking]);
  if ((await told) !== version) {
    location.reload();
  }
}

/**
 * A new version that has come while the page was open waits until the page is loaded again: here, before anybody has
 * begun to play, the page can make room for it. sw.js sees to it that no other window is in use.
 */
async function keep() {
  const { serviceWorker } = navigator;
  const { controller } = serviceWorker;
  const { version } = document.documentElement.dataset;
  if (controller && version) {
    void staysWhole(controller, version);
  }
  const registration = await serviceWorker.register("sw.js", { updateViaCache: "none" });
  if (controller) {
    registration.waiting?.postMessage("take over");
  }
}

// There is none over plain HTTP, and in some private windows.
if ("serviceWorker" in navigator) {
  keep().catch((error) =>
    console.warn("the page is not kept for when there is no network:", error),
  );
}
