import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { filled, repeated } from './row.ts'
import { portOf } from '../port-of.ts'

const PIECE = Buffer.alloc(64 * 1024, ' ')
const MILLIONS = 1_000_000

function answer(response: ServerResponse, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Writes pieces as fast as they are read, until the connection ends. */
function pour(response: ServerResponse, piece: Uint8Array): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
    response.once('drain', more)
  }
  more()
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 1)
  response.once('close', () => clearInterval(timer))
}

const begin = (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'application/json' })

/** How decisions of the ruleset of that name are answered. */
const DECISIONS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  plain: (response) => answer(response, '{"code":"A","message":"","output":{},"duration_us":1}'),
  values: (response) => answer(response, `[${filled(40 * MILLIONS, '{},')}{}]`),
  endless: (response) => {
    begin(response)
    pour(response, PIECE)
  },
  bytes: (response) => {
    begin(response)
    pour(response, Buffer.from(' '))
  },
  drips: (response) => {
    begin(response)
    drip(response)
  },
  silent: () => {},
  headers: (response) => {
    for (let at = 0; at < 200; at++) response.setHeader(`x-header-${at}`, 'y'.repeat(60))
    answer(response, '{}')
  },
  bomb: (response) => answer(response, BOMB, { 'content-encoding': 'gzip' }),
  breaks: (response) => {
    begin(response)
    response.write(PIECE, () => response.destroy())
  },
  page: (response) => answer(response, `<script>${filled(MILLIONS, 'a')}`, { 'content-type': 'text/html' }),
}
const BOMB = gzipSync(Buffer.alloc(200 * MILLIONS))

const row = (name: string, description: string) =>
  `{"name":"${name}","version":"1.0.0","step_count":1,"digest":"${'a'.repeat(64)}","description":${description}}`
const rowsOf = (first: number, description: string, count = 200) =>
  `[${repeated(count, (at) => row(`r${String(first + at).padStart(9, '0')}`, description))}]`

/** How the list of rulesets is answered to the search for that word. */
const LISTS: Readonly<Record<string, (after: number) => string>> = {
  wide: () => rowsOf(0, `"${filled(75_000, 'x')}"`, 199),
  pages: (after) => rowsOf(after + 1, '"x"'),
  'wide-pages': (after) => rowsOf(after + 1, `"${filled(70_000, 'x')}"`),
  values: () => rowsOf(0, `[${filled(15 * MILLIONS, '{},')}{}]`, 1),
  keys: () => rowsOf(0, `{${repeated(99_000, (at) => `"key ${at}":1`)}}`, 10),
  digits: () => rowsOf(0, filled(15 * MILLIONS, '9'), 1),
  nested: () => filled(15 * MILLIONS, '['),
  escapes: () => rowsOf(0, `"${filled(15 * MILLIONS, '\\u0041')}"`, 1),
  rows: () => `[${filled(15 * MILLIONS, '1,')}1]`,
}

/** The names of its rulesets, and the words that its list is searched for. */
export const [DECIDED, LISTED] = [Object.keys(DECISIONS), Object.keys(LISTS)] as const

/** An engine of a version without proofs of identity, whose answers cost most. It reads requests to their end. */
export async function startHostileEngine(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine')
    const [, , , route = '', name = ''] = pathname.split('/')
    request.resume().on('error', () => {})
    response.on('error', () => {})
    if (route === 'identity-proof') return void response.writeHead(404).end()
    request.on('end', () => {
      if (route !== 'rulesets' || name !== '') {
        ;(DECISIONS[name] ?? DECISIONS['plain'])?.(response)
        return
      }
      const after = Number(/\d+/.exec(searchParams.get('cursor') ?? '')?.[0] ?? -1)
      answer(response, LISTS[searchParams.get('q') ?? '']?.(after) ?? '[]')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
