/** Whether the page is a board in a frame of another site: `<html data-embed="true">`. */
export const isEmbedded =
  typeof document !== "undefined" && document.documentElement?.dataset?.["embed"] === "true";
