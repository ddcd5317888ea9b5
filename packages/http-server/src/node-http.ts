/**
 * `node:http` through the CommonJS loader. As an ES module, all its exports are read on import, including lazy ones
 * that load the HTTP client: a seventh of a server's start-up time. `node:https` does not do so.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
