// Plain JavaScript on purpose: an older Node must be able to read this file and say what is wrong.
const wanted = 26

/** Ends the program when this Node is too old for it. */
export function requireNode(program) {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= wanted) return
  process.stderr.write(
    `${program} needs Node ${wanted} or later, this is ${process.versions.node}. ` +
      `Run it through npm (\`npx ${program}\`), which uses the Node that \`npm ci\` installed.\n`,
  )
  process.exit(2)
}
