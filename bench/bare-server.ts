import { createServer } from 'node:http'
import { portOf } from './port-of.ts'

/**
 * The least that a server in Node can do with the same bytes: collect the body, `JSON.parse` it, `JSON.stringify` an
 * answer of the same form. In mode `batch` the answer has as many results as the request has inputs; in mode `lines` each
 * line is parsed and answered by itself.
 */
const isLines = process.argv[2] === 'lines'
const isBatch = process.argv[2] === 'batch'
const RESULT = { code: 'P15', message: 'P15', output: { level: 3 }, duration_us: 5 }

/** The answer to one line. */
function answered(line: string): string {
  const input: object = JSON.parse(line)
  return `${JSON.stringify({ ...RESULT, line: Object.keys(input).length })}\n`
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (isLines) {
      const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n')
      response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
      return void response.end(lines.map((line) => answered(line)).join(''))
    }
    const body: { input?: object; inputs?: object[] } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const answer = isBatch
      ? {
          results: body.inputs?.map(() => ({ ...RESULT })),
          summary: { total: body.inputs?.length, success: body.inputs?.length, failed: 0, total_duration_us: 1 },
        }
      : { ...RESULT }
    const text = JSON.stringify(answer)
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  })
})

server.listen(0, '127.0.0.1', () => console.log(`listens on http://127.0.0.1:${portOf(server)}`))
process.on('SIGTERM', () => process.exit(0))
