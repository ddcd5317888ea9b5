/** Whether a bundle was made of the sources as they are. */
export function isFresh(bundled: URL): boolean
/** A line of the list of sources of a bundle. */
export function sourceLine(path: string): string
