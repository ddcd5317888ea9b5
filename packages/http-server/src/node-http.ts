/**
 * `node:http` in the way that CommonJS gets it. As an ES module all its exports are read when it is loaded, among them those
 * that load a whole HTTP client when they are first used: a seventh of a server's start. `node:https` does not do so.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
