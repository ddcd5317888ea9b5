/**
 * The options of Node with which both servers run. The first lines of their programs have them; what starts a server by its own
 * Node gives them too. New objects get 16 MiB at most: a collection copies those of them that are alive in one go, and with the
 * default of Node the largest bodies stop the event loop for twice as long by it (docs/benchmarks.md, hostile requests).
 */
export const NODE_FLAGS: readonly string[] = ['--disable-proto=delete', '--max-semi-space-size=16']
