import { runDevelopment } from './development.ts'

process.exitCode = await runDevelopment(process.argv.slice(2))
