import { runServer } from './run.ts'

await runServer(process.argv.slice(2), process.env)
