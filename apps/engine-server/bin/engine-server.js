#!/usr/bin/env -S node --disable-proto=delete --max-semi-space-size=16
// Plain JavaScript on purpose: an older Node must be able to read this file and say what is wrong.
const wanted = 26
const major = Number(process.versions.node.split('.')[0])
if (major < wanted) {
  process.stderr.write(
    `engine-server needs Node ${wanted} or later, this is ${process.versions.node}. ` +
      'Run it through npm (`npx engine-server`), which uses the Node that `npm ci` installed.\n',
  )
  process.exit(1)
}
// What was compiled once is not compiled again at the next start: a third of its time. Beside the code, where only those can
// write who can change the code as well; a folder that everybody shares would let others put their code into the cache.
const { enableCompileCache } = await import('node:module')
const { fileURLToPath } = await import('node:url')
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)))
await import('../src/main.ts')
