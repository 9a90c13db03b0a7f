/** A palette: the red, green and blue of each colour, from 0 to 255. */
type Palette = number[][];

interface Encoder {
    /** Adds a frame; the first one needs a palette, which later frames share. */
    writeFrame(index: Uint8Array, width: number, height: number, options?: {
        palette?: Palette;
        /** The time of the frame in milliseconds. */
        delay?: number;
        /** How often the animation repeats: 0 for ever, -1 once. */
        repeat?: number;
    }): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
}

declare function GIFEncoder(): Encoder;

/** Returns a palette of at most `maxColors` colours for RGBA pixels. */
declare function quantize(rgba: Uint8ClampedArray, maxColors: number): Palette;

/** Returns the index in the palette of each RGBA pixel. */
declare function applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;

export { GIFEncoder, applyPalette, quantize };
