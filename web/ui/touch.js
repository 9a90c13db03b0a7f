/** Whether texts name gestures or keys. */

/** Returns whether the pointer of the device is a finger, so that its texts name no keys. */
export const hasTouch = () => matchMedia("(pointer: coarse)").matches;
