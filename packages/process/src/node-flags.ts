/**
 * The Node options of both servers. They are on the first line of the programs; anything that starts a server with its
 * own Node passes them too. Limits the young generation to 16 MiB: a collection copies its live objects without
 * interruption, and with Node's default the largest bodies block the event loop twice as long (docs/benchmarks.md,
 * hostile requests).
 */
export const NODE_FLAGS: readonly string[] = ['--disable-proto=delete', '--max-semi-space-size=16']
