/**
 * The benchmarks of docs/benchmarks.md. Each prints a table of medians and ratios. Only the modules of the one that runs
 * are loaded: with those of all others in the process, the same code of the same engine took half as much time again.
 */
const CASES: Readonly<Record<string, () => Promise<() => void | Promise<void>>>> = {
  'in-process': async () => (await import('./cases/in-process.ts')).inProcess,
  analysis: async () => (await import('./cases/analysis.ts')).analysis,
  branches: async () => (await import('./cases/branches.ts')).branches,
  canary: async () => (await import('./cases/canary.ts')).canary,
  numbers: async () => (await import('./cases/numbers.ts')).numberSpeed,
  charge: async () => (await import('./cases/charge.ts')).charge,
  http: async () => (await import('./cases/http.ts')).http,
  batch: async () => (await import('./cases/batch.ts')).batch,
  grpc: async () => (await import('./cases/grpc.ts')).grpc,
  peers: async () => (await import('./cases/peers.ts')).peers,
  start: async () => (await import('./cases/start.ts')).start,
  filter: async () => (await import('./cases/filter.ts')).filter,
  json: async () => (await import('./cases/json.ts')).json,
  sync: async () => (await import('./cases/sync.ts')).sync,
  'sync-faults': async () => (await import('./cases/sync-faults.ts')).syncFaults,
  workers: async () => (await import('./cases/workers.ts')).workers,
  proxy: async () => (await import('./cases/proxy.ts')).proxy,
  receipts: async () => (await import('./cases/receipts.ts')).receipts,
  recording: async () => (await import('./cases/recording.ts')).recording,
  disasters: async () => (await import('./cases/disasters.ts')).disasters,
  lifetime: async () => (await import('./cases/lifetime.ts')).lifetime,
  absence: async () => (await import('./cases/absence.ts')).absence,
  authoring: async () => (await import('./cases/authoring.ts')).authoring,
  foundation: async () => (await import('./cases/foundation.ts')).foundation,
  imports: async () => (await import('./cases/imports.ts')).imports,
  hostile: async () => (await import('./cases/hostile.ts')).hostile,
  'hostile-platform': async () => (await import('./cases/hostile-platform.ts')).hostilePlatform,
  review: async () => (await import('./cases/review.ts')).review,
  gate: async () => (await import('./cases/gate.ts')).gate,
  standards: async () => (await import('./cases/standards.ts')).standards,
  studio: async () => (await import('./cases/studio.ts')).studio,
}

const names = process.argv.slice(2)
const chosen = names.includes('all') ? Object.keys(CASES).filter((name) => name !== 'gate') : names
const unknown = chosen.find((name) => CASES[name] === undefined)
if (chosen.length === 0 || unknown !== undefined) {
  const said = unknown === undefined ? '' : `there is no benchmark \`${unknown}\`. `
  console.error(`${said}usage: npm run bench -- <name>, where <name> is ${[...Object.keys(CASES), 'all'].join(', ')}`)
  process.exitCode = 2
} else {
  for (const name of chosen) {
    console.log(`\n## ${name}\n`)
    await (
      await CASES[name]?.()
    )?.()
  }
}
