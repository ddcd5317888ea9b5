/**
 * The reason why date functions do not work on this platform; undefined if they do. Node.js has `Temporal` since
 * version 26. It is looked up at each use, because a program may load a polyfill after this package.
 */
export function temporalFault(): string | undefined {
  return 'Temporal' in globalThis
    ? undefined
    : 'functions of dates need Temporal: Node.js 26, a browser of 2026, or `import "temporal-polyfill/global"`'
}
