import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** One server-sent event as a client sees it. */
export interface SeenEvent {
  readonly id: string | undefined
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- looked at member by member
  readonly data: any
}

/** A stream that is being read. */
export interface OpenStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** So far. */
  readonly events: readonly SeenEvent[]
  readonly hasEnded: () => boolean
  close(): void
}

/** Read a stream of events until the test is over. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>>): Promise<OpenStream> {
  const request = get(url, { headers })
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events: SeenEvent[] = []
  let [rest, hasEnded] = ['', false]
  response.setEncoding('utf8')
  response.on('error', () => {})
  response.on('end', () => (hasEnded = true))
  response.on('data', (piece: string) => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line): [string, string] => splitField(line)))
      const type = fields.get('event')
      if (type !== undefined) events.push({ id: fields.get('id'), type, data: JSON.parse(fields.get('data') ?? '') })
    }
  })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    hasEnded: () => hasEnded,
    close: () => void request.destroy(),
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon), line.slice(colon + 2)]
}
