import { runBoth } from './run.ts'

process.exitCode = await runBoth(process.argv.slice(2))
