import { runPlatform } from './run.ts'

await runPlatform(process.argv.slice(2), process.env)
