#!/usr/bin/env -S node --disable-proto=delete
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
// What was compiled once is not compiled again at the next start: a third of its time.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../src/main.ts')
