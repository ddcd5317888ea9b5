// Plain JavaScript on purpose: an older Node must be able to read this file and say what is wrong.
const wanted = 26

/** Run a program of this package, or say that this Node is too old for it. */
export async function launch(program, source) {
  const major = Number(process.versions.node.split('.')[0])
  if (major < wanted) {
    process.stderr.write(
      `${program} needs Node ${wanted} or later, this is ${process.versions.node}. ` +
        `Run it through npm (\`npx ${program}\`), which uses the Node that \`npm ci\` installed.\n`,
    )
    process.exit(2)
  }
  // What was compiled once is not compiled again at the next start: half of its time. Beside the code, where only those can
  // write who can change the code as well; a folder that everybody shares would let others put their code into the cache.
  const { enableCompileCache } = await import('node:module')
  const { fileURLToPath } = await import('node:url')
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)))
  await import(source)
}
